import { internalRoutes } from "@touchstone/contracts";
import { createHttpServer, createMetrics, systemClock } from "@touchstone/service-kit";
import type { AnsweredKeys } from "../../src/providers/project-keys.ts";
import { benchRootSecret } from "../judge-bench.ts";
import { createTestLogger } from "./judge-setup.ts";

export interface ScriptedAuth {
  url: string;
  /** Its answer about a project from now on; initially nothing is stored, and there are no tenants. */
  store(projectId: string, stored: Partial<AnsweredKeys>): void;
  stop(): Promise<void>;
}

const nothing: AnsweredKeys = {
  organizationId: null,
  isTenant: false,
  keys: { openai: null, gemini: null, anthropic: null },
  platformModel: null,
  models: [],
  prices: [],
};

/** Answers the judge's request for provider keys, and checks the caller, like auth. */
export async function startScriptedAuth(): Promise<ScriptedAuth> {
  const stored = new Map<string, AnsweredKeys>();
  const server = createHttpServer({
    service: "auth",
    routes: [
      {
        route: internalRoutes.readProviderKeys,
        async handle(call) {
          const { projectId } = internalRoutes.readProviderKeys.body.parse(await call.json());
          return { status: 200, body: stored.get(projectId) ?? nothing };
        },
      },
    ],
    rootSecret: benchRootSecret,
    clock: systemClock,
    logger: createTestLogger().logger,
    metrics: createMetrics(),
    readiness: async () => ({ ready: true, checks: {} }),
  });
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  return {
    url,
    store: (projectId, changes) => void stored.set(projectId, { ...nothing, ...changes }),
    stop: () => server.stop(),
  };
}
