import { sqlStateOf } from "@touchstone/db";
import type { AppError } from "@touchstone/service-kit";
import type { SpanJob } from "../model/span-row.ts";
import { identityOf as identityOfUpdate } from "../model/span-update.ts";
import type { TraceStore } from "../trace-store/trace-store.ts";
import { quotaSpent } from "../trace-store/writing/span-insert.ts";
import { quotaRefusal, type SpentProjects } from "./spent-projects.ts";
import type { UsageStore } from "./usage-store.ts";

type InsertBatch = TraceStore["insertBatch"];
type Outcome = Awaited<ReturnType<InsertBatch>>[number];

/** The daily quota of root traces and the known projects that have spent it. */
export interface TraceQuota {
  tracesPerDay: number;
  spent: SpentProjects;
}

/**
 * Each attempt computes what still fits and tries that. It fails again only because other writers stored traces of the
 * same project in between, so there is always progress. After this many attempts the queue halves the batch.
 */
const turnsMax = 12;

/**
 * Wraps a store's insert, whose statement rejects a batch that would exceed a project's quota: the jobs that do not fit
 * are rejected, each as a whole, and the others are stored. The statement alone decides; the usage read here only
 * selects the jobs to leave out. A batch of many jobs of a spent project costs one extra statement, not one for each.
 */
export function keepWithinQuota(
  store: Pick<TraceStore, "insertBatch" | "findStored">,
  quota: TraceQuota,
  readUsage: UsageStore["readToday"],
): InsertBatch {
  async function refuseSome(jobs: readonly SpanJob[]): Promise<Map<SpanJob, AppError>> {
    const withRoots = jobs.filter(hasRoots);
    const usage = await readUsage([...new Set(withRoots.map(({ projectId }) => projectId))]);
    const replays = await store.findStored(
      withRoots.flatMap((job) =>
        rootsOf(job)
          .filter(hasIdentity)
          .map(({ dk }) => ({ projectId: job.projectId, dk })),
      ),
    );
    const used = new Map(usage.traces);
    const known = new Set<string>();
    const refused = new Map<SpanJob, AppError>();
    for (const job of withRoots) {
      const before = used.get(job.projectId) ?? 0;
      const isNew = (identity: string): boolean => !replays.has(identity) && !known.has(identity);
      const fresh = new Set(
        rootsOf(job)
          .map((root) => identityOf(job, root))
          .filter(isNew),
      );
      if (before + fresh.size <= quota.tracesPerDay) {
        used.set(job.projectId, before + fresh.size);
        for (const identity of fresh) known.add(identity);
        continue;
      }
      const isSpent = (usage.traces.get(job.projectId) ?? 0) >= quota.tracesPerDay;
      if (isSpent) quota.spent.remember(job.projectId, usage.remainingMs);
      refused.set(job, quotaRefusal(quota.tracesPerDay, isSpent ? usage.remainingMs : null));
    }
    return refused;
  }

  function refuseKnown(jobs: readonly SpanJob[]): Map<SpanJob, AppError> {
    const refused = new Map<SpanJob, AppError>();
    for (const job of jobs) {
      const remainingMs = hasRoots(job) ? quota.spent.remainingMs(job.projectId) : null;
      if (remainingMs !== null) refused.set(job, quotaRefusal(quota.tracesPerDay, remainingMs));
    }
    return refused;
  }

  return async (jobs, writer) => {
    const refused = refuseKnown(jobs);
    for (let turn = 0; ; turn += 1) {
      const admitted = jobs.filter((job) => !refused.has(job));
      try {
        const outcomes = admitted.length === 0 ? [] : await store.insertBatch(admitted, writer);
        const outcomeOf = new Map(admitted.map((job, index) => [job, outcomes[index]]));
        return jobs.map((job) => outcomeOf.get(job) ?? ({ status: "rejected", reason: refused.get(job) } as Outcome));
      } catch (thrown) {
        if (sqlStateOf(thrown) !== quotaSpent) throw thrown;
        if (turn === turnsMax) throw admitted.length > 1 ? thrown : quotaRefusal(quota.tracesPerDay, null);
        for (const [job, reason] of await refuseSome(admitted)) refused.set(job, reason);
      }
    }
  };
}

/** A root, or a span that may become one: an update does not say it. */
interface Root {
  dk: string | null;
  id: string;
}

function rootsOf({ rows, updates = [] }: SpanJob): Root[] {
  return [
    ...rows.filter(({ isRoot }) => isRoot),
    ...updates.map((update) => ({ dk: identityOfUpdate(update), id: "" })),
  ];
}

function hasRoots({ rows, updates = [] }: SpanJob): boolean {
  return updates.length > 0 || rows.some(({ isRoot }) => isRoot);
}

function hasIdentity(root: Root): root is Root & { dk: string } {
  return root.dk !== null;
}

/** A row without an identity is never equal to another. */
function identityOf({ projectId }: SpanJob, { dk, id }: Root): string {
  return `${projectId} ${dk ?? id}`;
}
