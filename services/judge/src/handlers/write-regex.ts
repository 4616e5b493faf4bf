import type { Answering, Bus } from "@touchstone/bus";
import { writeRegex } from "@touchstone/contracts";
import { limitCall } from "../providers/limit-call.ts";
import { writeRegexFor } from "../writing/regex.ts";
import { failureOf, type WriterDependencies } from "../writing/writer.ts";

/** Answers `svc.judge.write-regex.v1` (completions 9.3). Always replies: an expression, or why there is none. */
export function answerWriteRegex(
  bus: Bus,
  { askForJson, resolveModel, fenceSecret, clock }: WriterDependencies,
  options: { concurrency: number },
): Promise<Answering> {
  return bus.answer(
    writeRegex,
    (body, call) =>
      limitCall(call, body, clock, async (limited) => {
        const route = await resolveModel(body.model, limited);
        const asked = await askForJson({ route, ...writeRegexFor(body, fenceSecret) }, limited);
        if ("answer" in asked) return { suggestion: asked.answer, failure: null };
        return { suggestion: null, failure: failureOf(asked) };
      }),
    options,
  );
}
