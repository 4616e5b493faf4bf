import { internalRoutes } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import type { ProjectStore } from "../../projects/project-store.ts";
import type { ProviderKeyStore } from "../../provider-keys/provider-key-store.ts";
import { showLlmKeys } from "../../provider-keys/show-llm-keys.ts";
import type { ProjectSettingsStore } from "../../settings/project-settings-store.ts";

export interface ReadAccessSettingsDependencies {
  projects: ProjectStore;
  settings: ProjectSettingsStore;
  providerKeys: ProviderKeyStore;
}

/** Auth's part of `GET /agent-monitoring/settings`; null for a project that is gone. */
export function readAccessSettings(dependencies: ReadAccessSettingsDependencies): Handler {
  const { projects, settings, providerKeys } = dependencies;
  return async (call) => {
    const { projectId } = internalRoutes.readAccessSettings.body.parse(await call.json());
    const stored = await settings.read(projectId);
    const apiKey = stored === null ? null : await projects.readKey(projectId);
    if (stored === null || apiKey === null) return { status: 200, body: { settings: null } };
    const keys = await providerKeys.read(stored.organizationId);
    return {
      status: 200,
      body: { settings: { apiKey, platformModel: stored.platformModel, llm: showLlmKeys(keys) } },
    };
  };
}
