import type { Answering, Bus } from "@touchstone/bus";
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
import { failureOf, type WriterDependencies } from "./writer.ts";

/** Analyses in hand per member: each may be a prompt of 200 kB. */
const analysesMax = 8;

/** Answers every request to have a model write something. `concurrency` is what each has in hand per member. */
export async function answerWriting(
  bus: Bus,
  dependencies: WriterDependencies,
  options: { concurrency: number },
): Promise<void> {
  await answerParaphraseQuery(bus, dependencies, options);
  await answerSuggestExpected(bus, dependencies, options);
  await answerMatchPattern(bus, dependencies, options);
  await answerWriteRegex(bus, dependencies, options);
  await answerClassifyTopic(bus, dependencies, options);
  await answerWriteAnalysis(bus, dependencies, { concurrency: analysesMax });
}

/** Answers `svc.judge.paraphrase-query.v1` (completions 5.1). Always replies: no paraphrases is an answer, and says why. */
function answerParaphraseQuery(
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

/** Answers `svc.judge.suggest-expected.v1` (completions 3.3). Always replies: a suggestion, or why there is none. */
function answerSuggestExpected(
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

/** Answers `svc.judge.match-pattern.v1` (completions 9.3). Always replies: a decision, or why there is none. */
function answerMatchPattern(
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

/** Answers `svc.judge.write-regex.v1` (completions 9.3). Always replies: an expression, or why there is none. */
function answerWriteRegex(
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

/** Answers `svc.judge.classify-topic.v1` (completions 9.5). Always replies: a topic, or why there is none. */
function answerClassifyTopic(
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

/** Answers `svc.judge.write-analysis.v1` (completions 5.9). Always replies: a narrative, or why there is none. */
function answerWriteAnalysis(
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
