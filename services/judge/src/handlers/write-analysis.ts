import type { Answering, Bus } from "@touchstone/bus";
import { writeAnalysis } from "@touchstone/contracts";
import { limitCall } from "../providers/limit-call.ts";
import { writeAnalysisOf } from "../writing/analysis.ts";
import { failureOf, type WriterDependencies } from "../writing/writer.ts";

/** Answers `svc.judge.write-analysis.v1` (completions 5.9). Always replies: a narrative, or why there is none. */
export function answerWriteAnalysis(
  bus: Bus,
  { askForJson, resolveModel, fenceSecret, clock }: WriterDependencies,
  options: { concurrency: number },
): Promise<Answering> {
  return bus.answer(
    writeAnalysis,
    (body, call) =>
      limitCall(call, body, clock, async (limited) => {
        const route = await resolveModel(body.model, limited);
        const asked = await askForJson({ route, ...writeAnalysisOf(body, fenceSecret) }, limited);
        if ("answer" in asked) return { narrative: asked.answer, failure: null };
        return { narrative: null, failure: failureOf(asked) };
      }),
    options,
  );
}
