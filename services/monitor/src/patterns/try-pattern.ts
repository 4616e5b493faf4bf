import type { Bus } from "@touchstone/bus";
import { type JudgedTrace, limits, type patternTrialReply } from "@touchstone/contracts";
import { isAppError, isUuid } from "@touchstone/service-kit";
import type { z } from "zod";
import type { IngestClient } from "../ingest-client.ts";
import { askJudge, JudgeAwayError } from "./ask-judge.ts";
import { evaluateConditions } from "./matching/evaluate-conditions.ts";
import type { PatternDocument } from "./matching/pattern.ts";
import { NoThreadError, OverrunError, type PatternMatcher } from "./matching/pattern-matcher.ts";
import { checkedContent, describeCut, readTraceTexts } from "./matching/trace-texts.ts";
import { UndecidedError } from "./matching/undecided-error.ts";

export type Trial = z.input<typeof patternTrialReply>;

export interface TrialRequest {
  projectId: string;
  organizationId: string | null;
  pattern: Pick<PatternDocument, "conditions">;
  /** In the order they are tried. */
  traceIds: readonly string[];
}

/** Traces read and looked at at a time. */
const atOnceMax = 8;
/** Traces on which a pattern may take too long before it is tried on no further one. */
const overrunsMax = 3;

/**
 * Tries a pattern on traces and stores nothing (completions 9.3). Of more than `limits.judgedTrialsMax` traces no judge
 * is asked; what is not there, cannot be read or decided, or is left when `signal` says that the time is over, is in
 * `errors`, and so is a trace on which it takes too long; after a few of these the rest is.
 */
export async function tryPattern(
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
    // One iterator for all: each takes the next that nobody has.
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

/** Why a pattern was not tried on a trace, for the client to read. */
class TrialError extends Error {}

const timeIsOver = "The time was over before it was tried";

function explain(thrown: unknown, signal: AbortSignal): string {
  if (signal.aborted) return timeIsOver;
  if (thrown instanceof TrialError || thrown instanceof UndecidedError) return thrown.message;
  if (thrown instanceof OverrunError) return "The pattern took too long on this trace";
  if (thrown instanceof NoThreadError) return "Too many patterns are being looked for at the moment";
  if (thrown instanceof JudgeAwayError) return "No judge is running";
  if (isAppError(thrown) && thrown.code === "service_unavailable") return "The trace could not be read";
  throw thrown;
}
