import { setImmediate } from "node:timers/promises";
import type { Bus } from "@touchstone/bus";
import { type JudgedTrace, limits, type patternTrialReply } from "@touchstone/contracts";
import { isAppError, isUuid } from "@touchstone/service-kit";
import type { z } from "zod";
import type { IngestClient } from "../ingest/ingest-client.ts";
import { askJudge, JudgeAwayError } from "./ask-judge.ts";
import { evaluateConditions } from "./evaluate-conditions.ts";
import { findExcerpt } from "./find-excerpt.ts";
import type { PatternDocument } from "./pattern.ts";
import { readTraceTexts } from "./trace-texts.ts";
import { UndecidedError } from "./undecided-error.ts";

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

/**
 * Tries a pattern on traces and stores nothing (completions 9.3). Of more than `limits.judgedTrialsMax` traces no judge
 * is asked; what is not there, cannot be read or decided, or is left when `signal` says that the time is over, is in
 * `errors`.
 */
export async function tryPattern(
  { ingest, bus }: { ingest: Pick<IngestClient, "readTrace">; bus: Bus },
  { projectId, organizationId, pattern, traceIds }: TrialRequest,
  signal: AbortSignal,
): Promise<Trial> {
  const ask = askJudge(bus, { projectId, organizationId }, signal);
  const judged = new Set<string>();
  const found = new Map<string, Trial["matches"][number] | null>();
  const failed = new Map<string, string>();

  async function look(traceId: string): Promise<void> {
    const trace = isUuid(traceId) ? await ingest.readTrace(projectId, traceId) : null;
    if (trace === null) throw new TrialError("Trace not found");
    found.set(traceId, await evaluate(trace));
  }

  async function evaluate(trace: JudgedTrace): Promise<Trial["matches"][number] | null> {
    const { traceId } = trace;
    const texts = readTraceTexts(trace);
    // Each is bounded, all of them together are many: others get their turn in between.
    await setImmediate();
    const { matched } = await evaluateConditions(pattern.conditions, texts, (prompt, text) => {
      if (!judged.has(traceId) && judged.size >= limits.judgedTrialsMax) {
        throw new TrialError(`A judge is asked about at most ${limits.judgedTrialsMax} traces`);
      }
      judged.add(traceId);
      return ask(prompt, text);
    });
    return matched ? { traceId, ...findExcerpt(pattern.conditions, texts) } : null;
  }

  const waiting = [...new Set(traceIds)].values();
  const work = async (): Promise<void> => {
    // One iterator for all: each takes the next that nobody has.
    for (const traceId of waiting) {
      if (signal.aborted) failed.set(traceId, timeIsOver);
      else await look(traceId).catch((thrown: unknown) => failed.set(traceId, explain(thrown, signal)));
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnceMax, traceIds.length) }, work));

  const inOrder = [...new Set(traceIds)];
  const matches = inOrder.flatMap((traceId) => found.get(traceId) ?? []);
  const errors = inOrder.flatMap((traceId) => {
    const message = failed.get(traceId);
    return message === undefined ? [] : [{ traceId, message }];
  });
  return { checked: found.size, matched: matches.length, matches, ...(errors.length > 0 && { errors }) };
}

/** Why a pattern was not tried on a trace, for the client to read. */
class TrialError extends Error {}

const timeIsOver = "The time was over before it was tried";

function explain(thrown: unknown, signal: AbortSignal): string {
  if (signal.aborted) return timeIsOver;
  if (thrown instanceof TrialError || thrown instanceof UndecidedError) return thrown.message;
  if (thrown instanceof JudgeAwayError) return "No judge is running";
  if (isAppError(thrown) && thrown.code === "service_unavailable") return "The trace could not be read";
  throw thrown;
}
