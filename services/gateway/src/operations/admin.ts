import {
  adminOverview,
  adminSystem,
  countedProjectsMax,
  internalRoutes,
  type Secret,
  systemThresholds,
} from "@touchstone/contracts";
import { type Answer, AppError, type Call, type InternalClient, readAuditPage } from "@touchstone/service-kit";
import { createSecretComparison } from "../metrics/compare-secret.ts";
import type { GatewayMetrics } from "../metrics/gateway-metrics.ts";
import type { JudgeUsage } from "./judge-usage.ts";

/**
 * Allows only the operator (completions 12.5): 404 if no admin token is set, 401 for a wrong one. The header is
 * `x-admin-token`.
 */
export function createAdminAccess(token: Secret | null): (presented: unknown) => void {
  if (token === null) {
    return () => {
      throw new AppError("not_found", "Not found");
    };
  }
  const isExpected = createSecretComparison(token.reveal());
  return (presented) => {
    if (!isExpected(typeof presented === "string" ? presented : "")) {
      throw new AppError("unauthorized", "Invalid admin token");
    }
  };
}

/** Time limit of one service's count. */
const countDeadlineMs = 10_000;

interface AdminOverviewDependencies {
  clients: Readonly<Record<"auth" | "ingest", InternalClient>>;
  judgeUsage: Pick<JudgeUsage, "readRecent">;
}

export type ReadAdminOverview = (requestId: string) => Promise<Answer>;

/**
 * `GET /admin/overview`: composed from auth, ingest and judge (completions 12.5). A service that does not answer makes
 * it 503: a zero would look like an inactive organization.
 */
export function createAdminOverview({ clients, judgeUsage }: AdminOverviewDependencies): ReadAdminOverview {
  /** Root traces of the last 24 hours, by project. */
  async function countRoots(projectIds: readonly string[], requestId: string): Promise<Map<string, number>> {
    const roots = new Map<string, number>();
    for (let from = 0; from < projectIds.length; from += countedProjectsMax) {
      const asked = { projectIds: projectIds.slice(from, from + countedProjectsMax) };
      const options = { requestId, deadlineMs: countDeadlineMs };
      const { projects } = await clients.ingest.call(internalRoutes.countRecentRoots, asked, options);
      for (const project of projects) roots.set(project.projectId, project.roots);
    }
    return roots;
  }

  return async (requestId) => {
    const everything = { organizationId: null };
    const options = { requestId, deadlineMs: countDeadlineMs };
    const { organizations, unassigned } = await clients.auth.call(
      internalRoutes.readOrganizations,
      everything,
      options,
    );
    const owned = organizations.flatMap(({ projectIds }) => projectIds);
    const [roots, judgeCalls] = await Promise.all([
      countRoots(owned, requestId),
      judgeUsage.readRecent([...owned, ...unassigned]),
    ]);
    const body = adminOverview.parse({
      organizations: organizations.map(({ organizationId, name, createdAt, members, projectIds }) => ({
        _id: organizationId,
        name,
        createdAt,
        members,
        projects: projectIds.length,
        judgeCalls24h: sumOf(judgeCalls, projectIds),
        traces24h: sumOf(roots, projectIds),
      })),
      unassigned: { projects: unassigned.length, judgeCalls24h: sumOf(judgeCalls, unassigned) },
    });
    return { status: 200, headers: { "cache-control": "no-store" }, body };
  };
}

function sumOf(counts: ReadonlyMap<string, number>, projectIds: readonly string[]): number {
  return projectIds.reduce((sum, projectId) => sum + (counts.get(projectId) ?? 0), 0);
}

export type ReadAdminSystem = (requestId: string) => Promise<Answer>;

/**
 * `GET /admin/system`: what ingest's database holds, and how long old traces take to be removed, beside what one PostgreSQL
 * should hold (completions 12.5).
 */
export function createAdminSystem({
  ingest,
  metrics,
}: {
  ingest: InternalClient;
  metrics: Pick<GatewayMetrics, "render">;
}): ReadAdminSystem {
  return async (requestId) => {
    const options = { requestId, deadlineMs: readDeadlineMs };
    const [stored, text] = await Promise.all([
      ingest.call(internalRoutes.readStoredAmounts, {}, options),
      metrics.render(),
    ]);
    const amounts = { ...stored, retentionSweepSeconds: readSweepSeconds(text) };
    const names = Object.keys(systemThresholds) as (keyof typeof systemThresholds)[];
    const thresholds = names.flatMap((name) => {
      const [value, threshold] = [amounts[name], systemThresholds[name]];
      return value === null ? [] : [{ name, value, threshold, exceeded: value > threshold }];
    });
    const body = adminSystem.parse({ ...amounts, thresholds });
    return { status: 200, headers: { "cache-control": "no-store" }, body };
  };
}

/** From the metrics of all replicas of ingest: one of them removes old traces, the others have -1. Null when none knows. */
function readSweepSeconds(metrics: string): number | null {
  const samples = metrics.matchAll(/^service_ingest_retention_sweep_seconds(?:\{.*\})? (\S+)$/gm);
  const known = [...samples].map(([, seconds]) => Number(seconds)).filter((seconds) => seconds >= 0);
  return known.length > 0 ? Math.max(...known) : null;
}

/** Time limit of one service's read. */
const readDeadlineMs = 10_000;

export type ReadAdminAudit = (query: Call["query"], requestId: string) => Promise<Answer>;

/** `GET /admin/audit`: the log of the whole installation, newest first, in pages (completions 12.5). */
export function createAdminAudit({ auth }: Readonly<Record<"auth", InternalClient>>): ReadAdminAudit {
  return async (query, requestId) => {
    const options = { requestId, deadlineMs: readDeadlineMs };
    const body = await auth.call(internalRoutes.readAudit, readAuditPage(query), options);
    return { status: 200, headers: { "cache-control": "no-store" }, body };
  };
}
