import type { Answering, Bus } from "@touchstone/bus";
import { compareTexts, runScript } from "@touchstone/contracts";
import type { Clock } from "@touchstone/service-kit";
import { limitCall } from "../providers/limit-call.ts";
import type { RunHandler } from "./code/run-handler.ts";
import type { CompareTexts } from "./similarity/vector/compare-texts.ts";

/** Answers `svc.judge.run-script.v1` (completions 6.2). Always replies: a result, or the reason for none. */
export function answerRunScript(
  bus: Bus,
  { runHandler, clock }: { runHandler: RunHandler; clock: Clock },
  options: { concurrency: number },
): Promise<Answering> {
  return bus.answer(
    runScript,
    (body, call) => limitCall(call, body, clock, (limited) => runHandler(body, limited)),
    options,
  );
}

/** Answers `svc.judge.compare-texts.v1` (completions 3.3, Dedupe). Always replies: null without an embedding model. */
export function answerCompareTexts(
  bus: Bus,
  { compare, clock }: { compare: CompareTexts; clock: Clock },
  options: { concurrency: number },
): Promise<Answering> {
  return bus.answer(
    compareTexts,
    (body, call) => limitCall(call, body, clock, async (limited) => ({ cosines: await compare(body, limited) })),
    options,
  );
}
