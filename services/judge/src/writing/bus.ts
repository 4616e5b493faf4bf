import type { Bus, Call } from "@touchstone/bus";
import {
  classifyTopic,
  matchPattern,
  paraphraseQuery,
  suggestExpected,
  writeAnalysis,
  writeRegex,
} from "@touchstone/contracts";
import { limitCall } from "../providers/limit-call.ts";
import { writeAnalysisOf } from "./analysis.ts";
import { writeExpectedResult } from "./expected-result.ts";
import { writeParaphrases } from "./paraphrases.ts";
import { matchPatternInText } from "./pattern-match.ts";
import { writeRegexFor } from "./regex.ts";
import { classifyTopicOf } from "./topic.ts";
import { failureOf, type WriterDependencies, type WritingTask } from "./writer.ts";

/** Concurrent analyses per member: each may have a prompt of 200 kB. */
const analysesMax = 8;

/**
 * Answers every request for a model to write something. Always replies: with the text, or with the reason for none.
 * `concurrency` applies to each kind per member.
 */
export async function answerWriting(
  bus: Bus,
  dependencies: WriterDependencies,
  options: { concurrency: number },
): Promise<void> {
  const write = createWrite(dependencies);
  // completions 5.1
  const variants = write(writeParaphrases, (written, failure) => ({ variants: written ?? [], failure }));
  await bus.answer(paraphraseQuery, variants, options);
  // completions 3.3
  const expected = write(writeExpectedResult, (suggestion, failure) => ({ suggestion, failure }));
  await bus.answer(suggestExpected, expected, options);
  // completions 9.3
  await bus.answer(
    matchPattern,
    write(matchPatternInText, (match, failure) => ({ match, failure })),
    options,
  );
  await bus.answer(
    writeRegex,
    write(writeRegexFor, (suggestion, failure) => ({ suggestion, failure })),
    options,
  );
  // completions 9.5
  await bus.answer(
    classifyTopic,
    write(classifyTopicOf, (topic, failure) => ({ topic, failure })),
    options,
  );
  // completions 5.9
  const narrative = write(writeAnalysisOf, (written, failure) => ({ narrative: written, failure }));
  await bus.answer(writeAnalysis, narrative, { concurrency: analysesMax });
}

/**
 * Creates handlers from two functions: one composes the task of a request, the other the reply from the result or the failure.
 */
function createWrite({ askForJson, resolveModel, fenceSecret, clock }: WriterDependencies) {
  return <Request, Written, Reply>(
    taskOf: (request: Request, fenceSecret: WriterDependencies["fenceSecret"]) => WritingTask<Written>,
    reply: (written: Written | null, failure: ReturnType<typeof failureOf> | null) => Reply,
  ) => {
    return (body: Request & { projectId: string; model: string | null }, call: Call): Promise<Reply> =>
      limitCall(call, body, clock, async (limited) => {
        const route = await resolveModel(body.model, limited);
        const asked = await askForJson({ route, ...taskOf(body, fenceSecret) }, limited);
        return "answer" in asked ? reply(asked.answer, null) : reply(null, failureOf(asked));
      });
  };
}
