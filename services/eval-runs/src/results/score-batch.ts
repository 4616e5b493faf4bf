import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bus } from "@touchstone/bus";
import { AppError, type Clock, type Logger } from "@touchstone/service-kit";
import { judgeResult } from "../judging/judge-result.ts";
import type { Judgement } from "../judging/judgement.ts";
import type { LinkedTraces } from "../judging/linked-traces.ts";
import type { Timings } from "../timings.ts";
import { type Batch, type Candidate, composeCandidates } from "./candidate.ts";
import type { ClaimScope, ClaimStore, KeyState } from "./claim-store.ts";
import { createGroupedStore } from "./store-in-groups.ts";
import type { ResultRow, StoredResult } from "./stored-result.ts";

/** The outcome for one result: stored by this batch, or already stored by another (`isDuplicate`). */
export interface SettledResult {
  row: ResultRow;
  isDuplicate: boolean;
}

export interface ScoringDependencies {
  bus: Bus;
  claims: ClaimStore;
  clock: Clock;
  timings: Timings;
  linkedTraces: LinkedTraces;
  logger: Logger;
  /** Called for each stored result. */
  onStored: (result: StoredResult) => void;
}

const pollFirstMs = 20;
const pollMaxMs = 500;

/**
 * Scores and stores the results of a batch concurrently, and returns them by idempotency key: the core of a run
 * (completions 5.3; decision 11). Each result is stored as soon as it is judged.
 *
 * Every key is claimed before its result is judged, so of many requests with one key one judges and the others wait for its
 * result. A claim is a lease: a holder that dies loses it, and the retry of the batch takes it over. So a race is a duplicate,
 * never an error, and the judge is asked twice about one result only after a crash.
 *
 * Throws `conflict` when the run accepts no results, and the reason of `signal` when it is aborted. If the store fails half-way
 * it throws too: stored results stay, and sending the batch again completes it.
 */
export async function scoreBatch(
  { bus, claims, clock, timings, linkedTraces, logger, onStored }: ScoringDependencies,
  batch: Batch,
  signal: AbortSignal,
): Promise<Map<string, SettledResult>> {
  const { projectId, runId } = batch;
  const scope: ClaimScope = { projectId, runId, holder: randomUUID() };
  const deadlineMs = performance.now() + timings.batchMs;
  const settling = new Map<string, Promise<SettledResult>>();
  const linkTrace = linkedTraces.open(projectId, batch.grading.plan);
  const store = createGroupedStore((results) => claims.finish(scope, results));

  const heartbeat = setInterval(() => {
    claims.renew(scope).catch((err) => logger.warn({ err, runId }, "leases could not be renewed"));
  }, timings.heartbeatMs);
  try {
    await settleAll(composeCandidates(batch, clock));
    // All are allowed to finish before the first failure is thrown, so that judged results are stored.
    await Promise.allSettled(settling.values());
    const settled = [...settling].map(async ([key, result]) => [key, await result] as const);
    return new Map(await Promise.all(settled));
  } catch (thrown) {
    await Promise.allSettled(settling.values());
    await claims.release(scope).catch((err) => logger.warn({ err, runId }, "claims were left to expire"));
    throw thrown;
  } finally {
    clearInterval(heartbeat);
  }

  /** Judges the results claimed here, returns stored ones, and waits for those that others are judging. */
  async function settleAll(candidates: readonly Candidate[]): Promise<void> {
    const taken = await claims.take(scope, unjudgedOf(candidates));
    if (!taken.runIsOpen) throw runIsTerminal();
    let { states } = taken;
    for (let waiting = candidates; ; states = await nextChange(waiting)) {
      waiting = waiting.filter((candidate) => {
        const settled = settle(candidate, states.get(candidate.keyDigest));
        if (settled === null) return true;
        settling.set(candidate.submitted.idempotencyKey, settled);
        // Failures are checked when all are done; until then this promise has no other handler.
        settled.catch(() => undefined);
        return false;
      });
      if (waiting.length === 0) return;
    }
  }

  function settle(candidate: Candidate, state: KeyState | undefined): Promise<SettledResult> | null {
    if (state?.kind === "stored") return Promise.resolve({ row: state.result.row, isDuplicate: true });
    return state?.kind === "mine" ? judgeAndStore(candidate) : null;
  }

  /** Waits until one of the results is stored, or its claim is free. */
  async function nextChange(waiting: readonly Candidate[]): Promise<Map<string, KeyState>> {
    const keyDigests = waiting.map((candidate) => candidate.keyDigest);
    for (let pauseMs = pollFirstMs; ; pauseMs = Math.min(pauseMs * 2, pollMaxMs)) {
      await pause(pauseMs);
      const states = await claims.look(scope, keyDigests);
      const free = waiting.filter(({ keyDigest }) => isFree(states.get(keyDigest)));
      if (free.length > 0) {
        const taken = await claims.take(scope, unjudgedOf(free));
        for (const [keyDigest, state] of taken.states) states.set(keyDigest, state);
        // The run accepts no more claims, and a key without one will never have a result.
        const isLost = [...taken.states.values()].some((state) => state.kind === "unclaimed");
        if (!taken.runIsOpen && isLost) throw runIsTerminal();
      }
      if ([...states.values()].some(({ kind }) => kind === "stored" || kind === "mine")) return states;
    }
  }

  async function judgeAndStore(candidate: Candidate): Promise<SettledResult> {
    const result = batch.isExternal ? candidate.unjudged : candidate.compose(await judge(candidate));
    if (!(await store(result))) return waitForOther(result);
    onStored(result);
    return { row: result.row, isDuplicate: false };
  }

  function judge({ submitted, evaluationCase }: Candidate): Promise<Judgement> {
    const { organizationId, verdictMode, grading } = batch;
    return judgeResult(
      { bus, timings },
      { projectId, organizationId, verdictMode, plan: grading.plan, evaluationCase, submitted, linkTrace },
      { leftMs: deadlineMs - performance.now(), signal },
    );
  }

  /** The claim was lost: the result is the one stored by its new holder, or by a finalize. */
  async function waitForOther(mine: StoredResult): Promise<SettledResult> {
    for (let pauseMs = pollFirstMs; ; pauseMs = Math.min(pauseMs * 2, pollMaxMs)) {
      const state = (await claims.look(scope, [mine.keyDigest])).get(mine.keyDigest);
      if (state?.kind === "stored") {
        // After a commit whose response was lost, the row found is this call's own.
        return { row: state.result.row, isDuplicate: state.result.id !== mine.id };
      }
      // Neither stored nor claimed: the run was deleted, or the holder that took the claim over released it.
      if (state?.kind === "unclaimed" && !(await claims.take(scope, [])).runIsOpen) throw runIsTerminal();
      await pause(pauseMs);
    }
  }

  async function pause(ms: number): Promise<void> {
    if (performance.now() + ms > deadlineMs) {
      throw new AppError("service_unavailable", "Another request is still judging a result of this batch; retry.");
    }
    await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

const unjudgedOf = (candidates: readonly Candidate[]): StoredResult[] =>
  candidates.map((candidate) => candidate.unjudged);

const isFree = (state: KeyState | undefined): boolean => state?.kind === "unclaimed" || state?.kind === "expired";

function runIsTerminal(): AppError {
  return new AppError("conflict", "Run is already in a terminal state");
}
