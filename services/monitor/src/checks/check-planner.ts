import type { SettledTrace } from "@touchstone/contracts";
import type { Database, Transaction } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { isWatched } from "../model/sampling.ts";
import { recordSessions } from "../traces/session-activity-store.ts";
import { plannableDays, recordSettledTraces, selectDeletedProjects } from "../traces/settled-trace-store.ts";
import type { Check, PlannedCheck } from "./check.ts";
import { insertChecks } from "./planned-check-store.ts";

/** Stores the checks that settled traces are due. */
export interface CheckPlanner {
  /**
   * Records traces, of any projects but deleted ones, and their due checks: one transaction per project. Idempotent for
   * repeated traces. If one kind of check cannot plan, the plans of the others are stored, and this rejects, so that the traces
   * are redelivered.
   */
  plan(traces: readonly SettledTrace[]): Promise<void>;
  /**
   * The same for child spans, in an installation that checks them (completions 1.7). They do not count as traffic: only checks
   * are planned, and only for spans that began within the last days.
   */
  planChildren(spans: readonly SettledTrace[]): Promise<void>;
}

/**
 * Further changes for settled traces of one project, in the same transaction. A fresh trace settles for the first time: nothing
 * was recorded for it before. A reclassified one has a different failure than before, or none any more.
 */
export type AlsoRecord = (
  transaction: Transaction,
  projectId: string,
  traces: readonly SettledTrace[],
  known: { isFresh(trace: SettledTrace): boolean; isReclassified(trace: SettledTrace): boolean },
) => Promise<void>;

export function createCheckPlanner(options: {
  /** Connects as the application role. */
  database: Database;
  checks: readonly Check[];
  logger: Logger;
  /** Called when checks may have become due. */
  onPlanned: () => void;
  alsoRecord?: AlsoRecord;
}): CheckPlanner {
  const { database, checks, logger, onPlanned, alsoRecord } = options;

  const noteTraces: TakeNote = async (transaction, projectId, traces) => {
    const { outdated, plannable, fresh, reclassified } = await recordSettledTraces(transaction, [projectId], traces);
    await recordSessions(transaction, [...fresh.values()].filter(isWatched));
    const current = traces.filter(({ traceId }) => !outdated.has(traceId));
    await alsoRecord?.(transaction, projectId, current, {
      isFresh: ({ traceId }) => fresh.has(traceId),
      isReclassified: ({ traceId }) => reclassified.has(traceId),
    });
    return traces.filter(({ traceId }) => plannable.has(traceId));
  };

  async function planIn(project: SentOfProject, takeNote: TakeNote, kinds: readonly Check[]): Promise<void> {
    const { projectId, sent } = project;
    await database.scoped([projectId], async (transaction) => {
      const planned: { projectId: string; check: PlannedCheck }[] = [];
      for (const trace of await takeNote(transaction, projectId, sent)) {
        if (!isWatched(trace)) continue;
        for (const kind of kinds) {
          for (const check of await kind.plan(trace, transaction)) planned.push({ projectId, check });
        }
      }
      if (planned.length > 0) await insertChecks(transaction, planned);
    });
  }

  /** Returns the error, or null. */
  async function planProject(project: SentOfProject, takeNote: TakeNote, kinds: readonly Check[]): Promise<unknown> {
    try {
      await planIn(project, takeNote, kinds);
      return null;
    } catch (err) {
      // A kind that fails affects only itself: each gets a separate transaction, and the failed one is retried later. One at a
      // time: they record the same traces, and would wait for one another's locks.
      logger.warn({ err }, "checks could not be planned together; planning each kind by itself");
      let failure: unknown = null;
      for (const kind of kinds) {
        await planIn(project, takeNote, [kind]).catch((thrown: unknown) => {
          failure ??= thrown;
        });
      }
      return failure;
    }
  }

  async function planAll(all: readonly SettledTrace[], takeNote: TakeNote, kinds: readonly Check[]): Promise<void> {
    const closed = await selectDeletedProjects(database, all);
    const failures: unknown[] = [];
    // A separate transaction per project: row-level security then also isolates what the plans read.
    for (const [projectId, sent] of Map.groupBy(all, (trace) => trace.projectId)) {
      if (closed.has(projectId)) continue;
      const failure = await planProject({ projectId, sent }, takeNote, kinds);
      if (failure !== null) failures.push(failure);
    }
    onPlanned();
    if (failures.length > 0) throw failures[0];
  }

  const ofChildren = checks.filter(({ ignoresChildren }) => ignoresChildren !== true);
  return {
    plan: (sent) => planAll(sent, noteTraces, checks),
    planChildren: (sent) =>
      planAll(sent, async (_transaction, _projectId, spans) => spans.filter(isRecent), ofChildren),
  };
}

interface SentOfProject {
  projectId: string;
  sent: readonly SettledTrace[];
}

/** Records settled traces, and returns those whose checks may be planned. */
type TakeNote = (
  transaction: Transaction,
  projectId: string,
  sent: readonly SettledTrace[],
) => Promise<readonly SettledTrace[]>;

/**
 * True if the checks of a span cannot have been deleted yet: they are planned after it began, and kept longer than this.
 */
function isRecent({ createdAt }: SettledTrace): boolean {
  return Date.parse(createdAt) > Date.now() - plannableDays * 86_400_000;
}
