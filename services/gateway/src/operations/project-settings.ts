import { internalRoutes } from "@touchstone/contracts";
import { type Answer, AppError, type InternalClient } from "@touchstone/service-kit";

/** Time limit of one service. */
const readDeadlineMs = 5_000;

export interface ProjectSettingsDependencies {
  clients: Readonly<Record<"auth" | "monitor", InternalClient>>;
  /** The model used if neither a request nor the project names one. */
  platformModelDefault: string;
}

export type ReadProjectSettings = (projectId: string, requestId: string) => Promise<Answer>;

/**
 * `GET /agent-monitoring/settings`: composed of one read from each service that stores some (completions 11.3). A
 * service that does not answer makes it 503: defaults would look like the project's choice.
 */
export function createProjectSettings(dependencies: ProjectSettingsDependencies): ReadProjectSettings {
  const { clients, platformModelDefault } = dependencies;
  return async (projectId, requestId) => {
    const options = { requestId, deadlineMs: readDeadlineMs };
    const [{ settings }, { monitoringDefaults }] = await Promise.all([
      clients.auth.call(internalRoutes.readAccessSettings, { projectId }, options),
      clients.monitor.call(internalRoutes.readMonitoringDefaults, { projectId }, options),
    ]);
    // Deleted since its key was checked.
    if (settings === null) throw new AppError("unauthorized", "Invalid or missing API key");
    return {
      status: 200,
      // It shows a key, so browsers and proxies must not store it.
      headers: { "cache-control": "no-store" },
      body: { ...settings, monitoringDefaults, platformModelDefault },
    };
  };
}
