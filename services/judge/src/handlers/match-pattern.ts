import type { Answering, Bus } from "@touchstone/bus";
import { matchPattern } from "@touchstone/contracts";
import { limitCall } from "../providers/limit-call.ts";
import { matchPatternInText } from "../writing/pattern-match.ts";
import { failureOf, type WriterDependencies } from "../writing/writer.ts";

/** Answers `svc.judge.match-pattern.v1` (completions 9.3). Always replies: a decision, or why there is none. */
export function answerMatchPattern(
  bus: Bus,
  { askForJson, resolveModel, fenceSecret, clock }: WriterDependencies,
  options: { concurrency: number },
): Promise<Answering> {
  return bus.answer(
    matchPattern,
    (body, call) =>
      limitCall(call, body, clock, async (limited) => {
        const route = await resolveModel(body.model, limited);
        const asked = await askForJson({ route, ...matchPatternInText(body, fenceSecret) }, limited);
        if ("answer" in asked) return { match: asked.answer, failure: null };
        return { match: null, failure: failureOf(asked) };
      }),
    options,
  );
}
