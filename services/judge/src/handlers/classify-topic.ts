import type { Answering, Bus } from "@touchstone/bus";
import { classifyTopic } from "@touchstone/contracts";
import { limitCall } from "../providers/limit-call.ts";
import { classifyTopicOf } from "../writing/topic.ts";
import { failureOf, type WriterDependencies } from "../writing/writer.ts";

/** Answers `svc.judge.classify-topic.v1` (completions 9.5). Always replies: a topic, or why there is none. */
export function answerClassifyTopic(
  bus: Bus,
  { askForJson, resolveModel, fenceSecret, clock }: WriterDependencies,
  options: { concurrency: number },
): Promise<Answering> {
  return bus.answer(
    classifyTopic,
    (body, call) =>
      limitCall(call, body, clock, async (limited) => {
        const route = await resolveModel(body.model, limited);
        const asked = await askForJson({ route, ...classifyTopicOf(body, fenceSecret) }, limited);
        if ("answer" in asked) return { topic: asked.answer, failure: null };
        return { topic: null, failure: failureOf(asked) };
      }),
    options,
  );
}
