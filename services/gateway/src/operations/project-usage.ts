import { internalRoutes } from "@touchstone/contracts";
import type { Answer, InternalClient } from "@touchstone/service-kit";
import type { Caller } from "../caller.ts";
import type { JudgePayer, JudgeUsage } from "./judge-usage.ts";

/** Time limit of one service. */
const readDeadlineMs = 10_000;

export interface ProjectUsageDependencies {
  clients: Readonly<Record<"auth" | "ingest" | "monitor", InternalClient>>;
  judgeUsage: Pick<JudgeUsage, "readDay">;
  /** True if judge calls are counted per organization (completions 1.4). */
  isMultiTenant: boolean;
}

/** The caller, in a project. */
type ProjectCaller = Pick<Caller, "organizationId"> & { projectId: string };

export type ReadProjectUsage = (caller: ProjectCaller, requestId: string) => Promise<Answer>;

/**
 * `GET /agent-monitoring/usage`: the usage of the current UTC day, with the quotas (completions 1.4). A service that
 * does not answer makes it 503: a zero would look like an unused quota.
 */
export function createProjectUsage({ clients, judgeUsage, isMultiTenant }: ProjectUsageDependencies): ReadProjectUsage {
  async function findPayer(organizationId: string | null, requestId: string): Promise<JudgePayer> {
    if (!isMultiTenant || organizationId === null) return null;
    const options = { requestId, deadlineMs: readDeadlineMs };
    const { organizations } = await clients.auth.call(internalRoutes.readOrganizations, { organizationId }, options);
    return { organizationId, projectIds: organizations[0]?.projectIds ?? [] };
  }

  return async ({ projectId, organizationId }, requestId) => {
    const options = { requestId, deadlineMs: readDeadlineMs };
    const [traces, onlineJudgeCalls, judgeCalls] = await Promise.all([
      clients.ingest.call(internalRoutes.readTraceUsage, { projectId }, options),
      clients.monitor.call(internalRoutes.readLiveUsage, { projectId }, options),
      findPayer(organizationId, requestId).then(judgeUsage.readDay),
    ]);
    const { day, resetsAt, used, limit } = traces;
    return {
      status: 200,
      body: { day, resetsAt, traces: { used, limit }, onlineJudgeCalls, judgeCalls },
    };
  };
}
