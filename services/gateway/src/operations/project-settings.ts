import { internalRoutes } from "@touchstone/contracts";
import { type Answer, AppError, type InternalClient } from "@touchstone/service-kit";

/** How long one service may take. */
const readDeadlineMs = 5_000;

export interface ProjectSettingsDependencies {
  clients: Readonly<Record<"auth" | "monitor", InternalClient>>;
  /** Asked where neither a request nor the project names a model. */
  platformModelDefault: string;
}

export type ReadProjectSettings = (projectId: string, requestId: string) => Promise<Answer>;

/**
 * `GET /agent-monitoring/settings`: composed of one read by each service that keeps some (completions 11.3). A service
 * that does not answer makes it 503: defaults would look like the project's choice.
 */
export function createProjectSettings(dependencies: ProjectSettingsDependencies): ReadProjectSettings {
  const { clients, platformModelDefault } = dependencies;
  return async (projectId, requestId) => {
    const options = { requestId, deadlineMs: readDeadlineMs };
    const [{ settings }, { monitoringDefaults }] = await Promise.all([
      clients.auth.call(internalRoutes.readAccessSettings, { projectId }, options),
      clients.monitor.call(internalRoutes.readMonitoringDefaults, { projectId }, options),
    ]);
    // Deleted since its key was looked at.
    if (settings === null) throw new AppError("unauthorized", "Invalid or missing API key");
    return {
      status: 200,
      // It shows a key: nothing a browser or proxy may keep.
      headers: { "cache-control": "no-store" },
      body: { ...settings, monitoringDefaults, platformModelDefault },
    };
  };
}
