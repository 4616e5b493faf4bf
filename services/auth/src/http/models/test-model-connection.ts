import type { Handler, OutboundFetch, OutboundReach } from "@touchstone/service-kit";
import { testConnection } from "../../models/connection-test.ts";
import { readConnectionToTest } from "../../models/submitted-model.ts";
import type { ProjectSettingsStore } from "../../settings/project-settings-store.ts";
import { requireOwnProject } from "../../settings/require-own-project.ts";

export interface TestModelConnectionDependencies {
  settings: ProjectSettingsStore;
  modelReach: OutboundReach;
  fetchModels: OutboundFetch;
}

/** `POST /agent-monitoring/portability/models/test-connection` (completions 11.1). An endpoint that fails is an answer. */
export function testModelConnection({ settings, modelReach, fetchModels }: TestModelConnectionDependencies): Handler {
  return async (call) => {
    const connection = readConnectionToTest(await call.json(), modelReach);
    await requireOwnProject(settings, call);
    return { status: 200, body: { ...(await testConnection(fetchModels, connection)) } };
  };
}
