import type { Answering, Bus } from "@touchstone/bus";
import { compareTexts } from "@touchstone/contracts";
import type { Clock } from "@touchstone/service-kit";
import { limitCall } from "../providers/limit-call.ts";
import type { CompareTexts } from "../scorers/similarity/vector/compare-texts.ts";

/** Answers `svc.judge.compare-texts.v1` (completions 3.3, Dedupe). Always replies: null when there is no way to embed. */
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
