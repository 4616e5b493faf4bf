import type { Answering, Bus } from "@touchstone/bus";
import { suggestExpected } from "@touchstone/contracts";
import { limitCall } from "../providers/limit-call.ts";
import { writeExpectedResult } from "../writing/expected-result.ts";
import { failureOf, type WriterDependencies } from "../writing/writer.ts";

/** Answers `svc.judge.suggest-expected.v1` (completions 3.3). Always replies: a suggestion, or why there is none. */
export function answerSuggestExpected(
  bus: Bus,
  { askForJson, resolveModel, fenceSecret, clock }: WriterDependencies,
  options: { concurrency: number },
): Promise<Answering> {
  return bus.answer(
    suggestExpected,
    (body, call) =>
      limitCall(call, body, clock, async (limited) => {
        const route = await resolveModel(body.model, limited);
        const asked = await askForJson({ route, ...writeExpectedResult(body, fenceSecret) }, limited);
        if ("answer" in asked) return { suggestion: asked.answer, failure: null };
        return { suggestion: null, failure: failureOf(asked) };
      }),
    options,
  );
}
