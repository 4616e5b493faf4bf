import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bus } from "@touchstone/bus";
import { AppError, type Clock, isAppError, type Logger, uuidv7 } from "@touchstone/service-kit";
import type { EvaluationCase, Grading } from "../datasets/grading.ts";
import type { Timings } from "../timings.ts";
import { askJudge } from "./ask-judge.ts";
import type { ClaimScope, ClaimStore, KeyState, Taken } from "./claim-store.ts";
import { composeJudgeRequest } from "./judge-request.ts";
import { failedCase, type Judgement, skipped } from "./judgement.ts";
import { composeResult, neverJudged, type ResultRow, type StoredResult } from "./stored-result.ts";
import type { SubmittedResult } from "./submitted-result.ts";

/** A batch of valid results with different idempotency keys. */
export interface Batch {
  projectId: string;
  runId: string;
  batchId: string;
  grading: Grading;
  results: readonly SubmittedResult[];
}

/** What became of one result: stored by this batch, or found stored by another (`isDuplicate`). */
export interface SettledResult {
  row: ResultRow;
  isDuplicate: boolean;
}

export interface BatchScorer {
  /**
   * Scores and stores the results of a batch, all at once, and answers by idempotency key. Each is stored as soon as it
   * is judged. Throws `conflict` when the run takes no results; when the store or this service goes away half-way,
   * what was stored stays, and sending the batch again completes it.
   */
  score(batch: Batch): Promise<Map<string, SettledResult>>;
  /** Gives batches in hand `graceMs` to finish, then breaks them off and frees their claims for a retry. */
  stop(graceMs: number): Promise<void>;
}

export interface BatchScorerOptions {
  bus: Bus;
  claims: ClaimStore;
  clock: Clock;
  timings: Timings;
  logger: Logger;
  /** Told of each result that was stored. */
  onStored: (result: StoredResult) => void;
}

/** One result on its way, with the case it answers. */
interface Candidate {
  id: string;
  submitted: SubmittedResult;
  evaluationCase: EvaluationCase | null;
  /** What the claim holds: stored as it is when nobody judges the result. */
  unjudged: StoredResult;
}

const pollFirstMs = 20;
const pollMaxMs = 500;
/** Pauses before storing again what PostgreSQL could not take: a judgement costs more than a second try. */
const storeRetryDelaysMs = [250, 1_000];

/**
 * The core of a run (completions 5.3; architecture 4). Every idempotency key is claimed before its result is judged,
 * so of many requests with one key one judges and the others wait for its result. A claim is a lease: whoever dies
 * loses it, and the retry of the batch takes it over. So a race is a duplicate, never an error, and the judge is asked
 * twice about one result only after a crash.
 */
export function createBatchScorer(options: BatchScorerOptions): BatchScorer {
  const { claims, timings, logger } = options;
  const stopping = new AbortController();
  const inHand = new Set<Promise<unknown>>();

  async function score(batch: Batch): Promise<Map<string, SettledResult>> {
    if (batch.results.length === 0) return new Map();
    const scope: ClaimScope = { projectId: batch.projectId, runId: batch.runId, holder: randomUUID() };
    const deadlineMs = performance.now() + timings.batchMs;
    const candidates = composeCandidates(batch, options.clock);
    const settling = new Map<string, Promise<SettledResult>>();

    const heartbeat = setInterval(() => {
      claims.renew(scope).catch((err) => logger.warn({ err, runId: scope.runId }, "leases could not be renewed"));
    }, timings.heartbeatMs);
    try {
      let waiting = candidates;
      let taken = await claims.take(
        scope,
        waiting.map((candidate) => candidate.unjudged),
      );
      if (!taken.runIsOpen) throw runIsTerminal();
      for (;;) {
        for (const candidate of waiting) {
          const settled = settle(batch, scope, candidate, taken.states.get(candidate.unjudged.keyDigest), deadlineMs);
          if (settled === null) continue;
          settling.set(candidate.submitted.idempotencyKey, settled);
          // A failure is looked at when all are done; until then nobody waits for this promise.
          settled.catch(() => undefined);
        }
        waiting = waiting.filter((candidate) => !settling.has(candidate.submitted.idempotencyKey));
        if (waiting.length === 0) break;
        taken = await takeWhatChanges(scope, waiting, deadlineMs);
      }
      // All are let finish before the first failure is thrown: what is judged gets stored.
      await Promise.allSettled(settling.values());
      const settled = [...settling].map(async ([key, result]) => [key, await result] as const);
      return new Map(await Promise.all(settled));
    } catch (thrown) {
      await Promise.allSettled(settling.values());
      await claims
        .release(scope)
        .catch((err) => logger.warn({ err, runId: scope.runId }, "claims were left to expire"));
      throw thrown;
    } finally {
      clearInterval(heartbeat);
    }
  }

  /** Null = somebody else is judging it. */
  function settle(
    batch: Batch,
    scope: ClaimScope,
    candidate: Candidate,
    state: KeyState | { kind: "mine" } | undefined,
    deadlineMs: number,
  ): Promise<SettledResult> | null {
    if (state?.kind === "stored") return Promise.resolve({ row: state.result.row, isDuplicate: true });
    return state?.kind === "mine" ? judgeAndStore(batch, scope, candidate, deadlineMs) : null;
  }

  /** Waits until one of the results is stored or free to be claimed, and claims what is free. */
  async function takeWhatChanges(scope: ClaimScope, waiting: readonly Candidate[], deadlineMs: number): Promise<Taken> {
    const keyDigests = waiting.map((candidate) => candidate.unjudged.keyDigest);
    for (let pauseMs = pollFirstMs; ; pauseMs = Math.min(pauseMs * 2, pollMaxMs)) {
      await pause(pauseMs, deadlineMs);
      const states = await claims.look(scope, keyDigests);
      const free = waiting.filter((candidate) => states.get(candidate.unjudged.keyDigest)?.kind === "free");
      if (free.length > 0) {
        const taken = await claims.take(
          scope,
          free.map((candidate) => candidate.unjudged),
        );
        // Nothing will store these any more: the run is over, and nobody holds them.
        if (!taken.runIsOpen && [...taken.states.values()].some((state) => state.kind === "free"))
          throw runIsTerminal();
        return { ...taken, states: new Map([...states, ...taken.states]) };
      }
      if ([...states.values()].some((state) => state.kind === "stored")) return { runIsOpen: true, states };
    }
  }

  async function judgeAndStore(
    batch: Batch,
    scope: ClaimScope,
    candidate: Candidate,
    deadlineMs: number,
  ): Promise<SettledResult> {
    const judgement = await judge(batch, candidate, deadlineMs);
    const result = composeResult(candidate.id, candidate.submitted, judgement, {
      grading: batch.grading,
      evaluationCase: candidate.evaluationCase,
      batchId: batch.batchId,
    });
    if (await store(scope, result)) {
      options.onStored(result);
      return { row: result.row, isDuplicate: false };
    }
    return waitForOther(scope, result, deadlineMs);
  }

  async function judge(batch: Batch, { submitted, evaluationCase }: Candidate, deadlineMs: number): Promise<Judgement> {
    if (submitted.error !== null) return failedCase(submitted.error);
    const timeoutMs = Math.min(timings.resultMs, deadlineMs - performance.now()) - timings.storeMs;
    if (timeoutMs <= 0) return skipped("timeout", "The time of the batch was over before the result was judged.");
    const request = composeJudgeRequest(batch.projectId, batch.grading, evaluationCase, submitted);
    return askJudge(options.bus, request, { timeoutMs, outageMs: timings.outageMs, signal: stopping.signal });
  }

  async function store(scope: ClaimScope, result: StoredResult): Promise<boolean> {
    for (const delayMs of storeRetryDelaysMs) {
      try {
        return await claims.finish(scope, result);
      } catch (thrown) {
        if (!isAppError(thrown)) throw thrown;
        await sleep(delayMs);
      }
    }
    return claims.finish(scope, result);
  }

  /** The claim was lost: the result is whatever its new holder, or a finalize, stores. */
  async function waitForOther(scope: ClaimScope, mine: StoredResult, deadlineMs: number): Promise<SettledResult> {
    for (let pauseMs = pollFirstMs; ; pauseMs = Math.min(pauseMs * 2, pollMaxMs)) {
      const state = (await claims.look(scope, [mine.keyDigest])).get(mine.keyDigest);
      if (state?.kind === "stored") {
        // After a commit whose answer was lost the row found is our own.
        return { row: state.result.row, isDuplicate: state.result.id !== mine.id };
      }
      await pause(pauseMs, deadlineMs);
    }
  }

  async function pause(ms: number, deadlineMs: number): Promise<void> {
    if (performance.now() + ms > deadlineMs) {
      throw new AppError("service_unavailable", "Another request is still judging a result of this batch; retry.");
    }
    await sleep(ms, undefined, { signal: stopping.signal }).catch(() => stopping.signal.throwIfAborted());
  }

  return {
    score(batch) {
      const scoring = score(batch);
      const settled = scoring.then(
        () => undefined,
        () => undefined,
      );
      inHand.add(settled);
      void settled.then(() => inHand.delete(settled));
      return scoring;
    },
    async stop(graceMs) {
      const finished = Promise.all(inHand);
      await Promise.race([finished, sleep(graceMs, undefined, { ref: false })]);
      stopping.abort(new AppError("service_unavailable", "The service is stopping; retry."));
      await finished;
    },
  };
}

function composeCandidates({ grading, batchId, results }: Batch, clock: Clock): Candidate[] {
  const now = clock.now();
  // Sorted, so that ids made in one millisecond sort as the results were submitted.
  const ids = results.map(() => uuidv7(now)).sort();
  return results.map((submitted, index) => {
    const id = ids[index] as string;
    const evaluationCase = grading.cases[submitted.questionIndex] ?? null;
    const judgement = submitted.error === null ? neverJudged : failedCase(submitted.error);
    const unjudged = composeResult(id, submitted, judgement, { grading, evaluationCase, batchId });
    return { id, submitted, evaluationCase, unjudged };
  });
}

function runIsTerminal(): AppError {
  return new AppError("conflict", "Run is already in a terminal state");
}
