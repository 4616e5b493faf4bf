import { setTimeout as sleep } from "node:timers/promises";
import { gatherCalls, type Logger, orAborted } from "@touchstone/service-kit";
import type { QuotaStore } from "./quota-store.ts";
import type { UsageCounter } from "./usage-counter.ts";

/** The payer of a call: its organization, or without organizations the whole installation. */
export type Payer = { kind: "instance" } | { kind: "organization"; id: string };

/** A call over the budget, or one that cannot be counted. The message is for the client. */
export class JudgeBudgetError extends Error {
  override readonly name = "JudgeBudgetError";
  /** The call could not be counted: a later one may be admitted. */
  readonly isPassing: boolean;

  constructor(message: string, options: { isPassing?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.isPassing = options.isPassing ?? false;
  }
}

/** A call to be made. */
export interface PaidCall {
  payer: Payer;
  projectId: string;
  signal: AbortSignal;
}

/** Admits calls and counts them. */
export interface JudgeBudget {
  /**
   * Resolves when the call may be sent, and must be followed by sending it. Rejects with {@link JudgeBudgetError}, or with the
   * signal's reason, and then no call is counted.
   */
  reserve(call: PaidCall): Promise<void>;
}

export interface JudgeBudgetOptions {
  /** Null = no limit: calls are counted only for the overview, without a query to PostgreSQL. */
  callsPerDay: number | null;
  quota: Pick<QuotaStore, "reserve" | "release">;
  usage: UsageCounter;
  logger: Logger;
}

/** A result that is skipped is final, so a database that is slow or fails over is asked again, after these pauses. */
const pausesMs = [500, 1_500];

/** completions 1.4, the quota of judge calls. Exact across judges, since PostgreSQL counts. */
export function createJudgeBudget({ callsPerDay, quota, usage, logger }: JudgeBudgetOptions): JudgeBudget {
  const release = (payer: string, day: string | null): void => {
    if (day === null) return;
    quota.release(payer, day).catch((err) => logger.warn({ err }, "a judge call that was not made stays counted"));
  };

  async function take(reserveOne: ReserveOne, limit: number, { payer, signal }: PaidCall): Promise<void> {
    const key = payer.kind === "instance" ? "instance" : payer.id;
    for (const pauseMs of [...pausesMs, null]) {
      const reserving = reserveOne(key);
      try {
        const day = await orAborted(reserving, signal);
        if (day !== null) return;
        throw new JudgeBudgetError(describeSpent(limit, payer));
      } catch (thrown) {
        if (thrown instanceof JudgeBudgetError) throw thrown;
        if (signal.aborted) {
          reserving.then((late) => release(key, late)).catch(() => undefined);
          throw signal.reason;
        }
        if (pauseMs === null) throw uncounted(thrown);
        await orAborted(sleep(pauseMs), signal);
      }
    }
  }

  function uncounted(cause: unknown): JudgeBudgetError {
    logger.warn({ err: cause }, "a judge call could not be counted against its quota");
    const message = "The judge-call quota cannot be counted while the database is unavailable, so no judge was asked.";
    return new JudgeBudgetError(message, { isPassing: true, cause });
  }

  if (callsPerDay === null) return { reserve: async ({ projectId }) => usage.count(projectId) };
  const reserveOne = reserveTogether(quota, callsPerDay);
  return {
    async reserve(call) {
      await take(reserveOne, callsPerDay, call);
      usage.count(call.projectId);
    },
  };
}

/** Takes one of today's calls and returns the day, or null when the payer's calls of today are used up. */
type ReserveOne = (payer: string) => Promise<string | null>;

/**
 * All calls of a payer are counted in one row, and a row is committed once per sync: one by one, on a slow disk, the last of
 * many would exceed the statement timeout. First come, first served.
 */
function reserveTogether(quota: Pick<QuotaStore, "reserve">, limit: number): ReserveOne {
  const reserveAll = async (payers: readonly string[]): Promise<(string | null)[]> => {
    const reserved = await quota.reserve(payers[0] as string, payers.length, limit);
    return payers.map((_, index) => (index < reserved.calls ? reserved.day : null));
  };
  return gatherCalls(reserveAll, { keyOf: (payer) => payer });
}

function describeSpent(limit: number, payer: Payer): string {
  const whose = payer.kind === "organization" ? " for this organization" : "";
  return `Daily judge-call quota reached (${limit}/day${whose}). Quota resets at midnight UTC; raise SERVICE_QUOTA_JUDGE_CALLS_PER_DAY to change the ceiling.`;
}
