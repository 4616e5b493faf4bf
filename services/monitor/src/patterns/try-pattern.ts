import type { Bus } from "@touchstone/bus";
import { isUuid, type JudgedTrace, limits, type patternTrialReply } from "@touchstone/contracts";
import {
  type Answer,
  AppError,
  type Clock,
  createFairLimit,
  type Handler,
  isAppError,
  type JsonMembers,
  readJsonObject,
  requireProject,
  TooManyWaitingError,
} from "@touchstone/service-kit";
import type { z } from "zod";
import type { IngestClient } from "../ingest-client.ts";
import type { NewestTraces } from "../traces/seen-trace-reader.ts";
import { askJudge, JudgeUnavailableError, QuotaUncountedError } from "./ask-judge.ts";
import { evaluateConditions } from "./matching/evaluate-conditions.ts";
import type { PatternDocument } from "./matching/pattern.ts";
import { NoThreadError, OverrunError, type PatternMatcher } from "./matching/pattern-matcher.ts";
import { checkedContent, describeCut, readTraceTexts } from "./matching/trace-texts.ts";
import { UndecidedError } from "./matching/undecided-error.ts";
import { composePatternDocument, requireRegexes } from "./pattern-document.ts";

type Trial = z.input<typeof patternTrialReply>;

export interface TrialRequest {
  projectId: string;
  organizationId: string | null;
  pattern: Pick<PatternDocument, "conditions">;
  /** In the order they are tried. */
  traceIds: readonly string[];
}

/** Traces read and searched at the same time. With more, long traces would be no faster but would delay other requests. */
const atOnceMax = 3;
/** Timeouts of a pattern after which further traces are skipped. */
const overrunsMax = 3;

/**
 * Tries a pattern on traces and stores nothing (completions 9.3). With more than `limits.judgedTrialsMax` traces no judge is
 * asked. Traces that are missing, unreadable or undecided, that time out, or that are left when `signal` is aborted at the
 * deadline, are in `errors`; after a few timeouts the rest is, too.
 */
export async function runTrial(
  { ingest, matcher, bus }: { ingest: Pick<IngestClient, "readTrace">; matcher: PatternMatcher; bus: Bus },
  { projectId, organizationId, pattern, traceIds }: TrialRequest,
  signal: AbortSignal,
): Promise<Trial> {
  const ask = askJudge(bus, { projectId, organizationId }, signal);
  const judged = new Set<string>();
  const found = new Map<string, Trial["matches"][number] | null>();
  const failed = new Map<string, string>();
  const cut = new Map<string, string>();
  const { conditions } = pattern;
  const enough = new AbortController();
  const looker = { projectId, signal: AbortSignal.any([signal, enough.signal]) };
  let overruns = 0;

  async function look(traceId: string): Promise<void> {
    looker.signal.throwIfAborted();
    const trace = isUuid(traceId) ? await ingest.readTrace(projectId, traceId, checkedContent) : null;
    if (trace === null) throw new TrialError("Trace not found");
    found.set(traceId, await evaluate(trace));
  }

  async function evaluate(trace: JudgedTrace): Promise<Trial["matches"][number] | null> {
    const { traceId } = trace;
    const checked = readTraceTexts(trace);
    const { texts } = checked;
    const [held] = await matcher.lookThrough(texts, [conditions], looker);
    if (!(held instanceof Uint8Array)) {
      overruns += 1;
      if (overruns >= overrunsMax) enough.abort(new TrialError("The pattern took too long on other traces"));
      throw held;
    }
    const { matched } = await evaluateConditions(conditions, { texts, found: held }, (prompt, text) => {
      if (!judged.has(traceId) && judged.size >= limits.judgedTrialsMax) {
        throw new TrialError(`A judge is asked about at most ${limits.judgedTrialsMax} traces`);
      }
      judged.add(traceId);
      return ask(prompt, text);
    });
    const note = describeCut(checked, conditions);
    if (note !== null) cut.set(traceId, note);
    return matched ? { traceId, ...(await matcher.findExcerpt(conditions, texts, looker)) } : null;
  }

  const waiting = [...new Set(traceIds)].values();
  const work = async (): Promise<void> => {
    // All workers share one iterator: each takes the next trace.
    for (const traceId of waiting) {
      await look(traceId).catch((thrown: unknown) => failed.set(traceId, explain(thrown, signal)));
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnceMax, traceIds.length) }, work));

  const inOrder = [...new Set(traceIds)];
  const matches = inOrder.flatMap((traceId) => found.get(traceId) ?? []);
  const errors = inOrder.flatMap((traceId) => {
    const message = failed.get(traceId);
    return message === undefined ? [] : [{ traceId, message }];
  });
  const notes = inOrder.flatMap((traceId) => {
    const message = cut.get(traceId);
    return message === undefined ? [] : [{ traceId, message }];
  });
  return {
    checked: found.size,
    matched: matches.length,
    matches,
    ...(errors.length > 0 && { errors }),
    ...(notes.length > 0 && { cut: notes }),
  };
}

/** The reason why a pattern was not tried on a trace, for the client to read. */
class TrialError extends Error {}

const timeIsOver = "The time was over before it was tried";

function explain(thrown: unknown, signal: AbortSignal): string {
  if (signal.aborted) return timeIsOver;
  if (thrown instanceof TrialError || thrown instanceof UndecidedError || thrown instanceof QuotaUncountedError) {
    return thrown.message;
  }
  if (thrown instanceof OverrunError) return "The pattern took too long on this trace";
  if (thrown instanceof NoThreadError) return "Too many patterns are being looked for at the moment";
  if (thrown instanceof JudgeUnavailableError) return "No judge is running";
  if (isAppError(thrown) && thrown.code === "service_unavailable") return "The trace could not be read";
  throw thrown;
}

const hourMs = 3_600_000;
const windowsMs: ReadonlyMap<unknown, number> = new Map([
  ["24h", 24 * hourMs],
  ["7d", 7 * 24 * hourMs],
  ["30d", 30 * 24 * hourMs],
]);

/** The time limit of a trial; the remaining traces are reported. */
const trialMs = 60_000;
/** Concurrent trials per replica, half of them per project: each reads up to `limits.triedTracesMax` traces. */
const trials = { places: 4, placesPerGroupMax: 2, waitingMax: 0 };

/**
 * POST /agent-monitoring/patterns/dry-run (completions 9.3): tries a pattern on traces of the project and stores nothing. Its
 * name is optional; its sample and enabled state are ignored, its agents are not.
 */
export function tryPattern(dependencies: {
  ingest: Pick<IngestClient, "readTrace">;
  newestTraces: NewestTraces;
  matcher: PatternMatcher;
  bus: Bus;
  clock: Clock;
}): Handler {
  const { newestTraces, matcher, clock } = dependencies;
  const inHand = createFairLimit(trials);

  async function choose(projectId: string, sent: JsonMembers, agentIds: readonly string[] | null): Promise<string[]> {
    const { traceIds, window, limit } = sent;
    if (traceIds !== undefined && traceIds !== null) return readTraceIds(traceIds);
    const since = readWindow(window, clock.now());
    return newestTraces.list(projectId, { since, agentIds: agentIds?.filter(isUuid) ?? null, limit: readLimit(limit) });
  }

  return async (call) => {
    const projectId = requireProject(call);
    const sent = (await readJsonObject(call)).value;
    const pattern = composePatternDocument({ ...sent, name: sent.name ?? "Dry run" }, null);

    async function tryOut(): Promise<Answer> {
      await requireRegexes(pattern, { matcher, projectId, signal: call.signal });
      const traceIds = await choose(projectId, sent, pattern.scopeMode === "selected" ? pattern.agentIds : null);
      const { organizationId } = call.identity;
      const signal = AbortSignal.any([call.signal, AbortSignal.timeout(trialMs)]);
      const trial = await runTrial(dependencies, { projectId, organizationId, pattern, traceIds }, signal);
      return { status: 200, body: trial };
    }

    return inHand.run({ group: projectId, signal: call.signal }, tryOut).catch((thrown: unknown) => {
      if (!(thrown instanceof TooManyWaitingError)) throw thrown;
      throw new AppError("service_unavailable", "Too many patterns are being tried at the moment; retry.");
    });
  };
}

function readTraceIds(value: unknown): string[] {
  const isFit = Array.isArray(value) && value.length > 0 && value.every((id) => typeof id === "string");
  if (!isFit) throw new AppError("bad_request", "traceIds must be an array of strings");
  if (value.length > limits.triedTracesMax) {
    throw new AppError("bad_request", `traceIds must have at most ${limits.triedTracesMax} entries`);
  }
  return value;
}

function readWindow(value: unknown, now: number): Date | null {
  if (value === undefined || value === null) return null;
  const windowMs = windowsMs.get(value);
  if (windowMs === undefined) throw new AppError("bad_request", "window must be one of: 24h, 7d, 30d");
  return new Date(now - windowMs);
}

function readLimit(value: unknown): number {
  if (value === undefined || value === null) return limits.triedTracesDefault;
  const isFit = typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= limits.triedTracesMax;
  if (!isFit) throw new AppError("bad_request", `limit must be an integer between 1 and ${limits.triedTracesMax}`);
  return value;
}
