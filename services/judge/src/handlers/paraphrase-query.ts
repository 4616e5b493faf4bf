import type { Answering, Bus } from "@touchstone/bus";
import { paraphraseQuery } from "@touchstone/contracts";
import { limitCall } from "../providers/limit-call.ts";
import { writeParaphrases } from "../writing/paraphrases.ts";
import { failureOf, type WriterDependencies } from "../writing/writer.ts";

/** Answers `svc.judge.paraphrase-query.v1` (completions 5.1). Always replies: no paraphrases is an answer, and says why. */
export function answerParaphraseQuery(
  bus: Bus,
  { askForJson, resolveModel, fenceSecret, clock }: WriterDependencies,
  options: { concurrency: number },
): Promise<Answering> {
  return bus.answer(
    paraphraseQuery,
    (body, call) =>
      limitCall(call, body, clock, async (limited) => {
        const route = await resolveModel(body.model, limited);
        const asked = await askForJson({ route, ...writeParaphrases(body, fenceSecret) }, limited);
        if ("answer" in asked) return { variants: asked.answer, failure: null };
        return { variants: [], failure: failureOf(asked) };
      }),
    options,
  );
}
