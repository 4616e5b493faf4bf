import { z } from "zod";
import { limits } from "../limits.ts";
import { caseSource, dataset, datasetParams, question } from "./datasets.ts";
import { recordedTurn } from "./judging.ts";
import { filledText } from "./texts.ts";

/** The origin of a question that is added to a dataset: a trace, a session or a signal. */
const submittedCase = question.extend({ source: caseSource });

/** Body of `POST .../datasets/{datasetId}/cases` (completions 3.3). */
export const submittedCases = z.object({
  case: submittedCase.optional(),
  cases: z.array(submittedCase).max(limits.casesPerRequestMax).optional().describe("Instead of `case`: several."),
  dedupe: z.boolean().optional().describe("Default true; false adds whatever is sent."),
});

/** Why a case is not added, checked in this order; `similarity` is a cosine, 0 to 1. */
const duplicate = z.object({
  reason: z.enum(["same-source", "same-query", "similar-query"]),
  existingQuery: z.string(),
  similarity: z.number().optional(),
});

/** Answer to `case`, and to `cases`, which counts. */
export const addedCases = z.object({
  ok: z.literal(true),
  added: z.int().optional(),
  duplicates: z.array(duplicate.extend({ index: z.int().describe("Which of `cases`, from 0.") })).optional(),
  caseCount: z.int(),
});

/** 409 of a `case` that the dataset already has. */
export const duplicateCase = z.object({ error: z.string(), duplicate });

export const caseParams = datasetParams.extend({
  questionIndex: z.string().describe("The place of the case, from 0; the number of cases is the place of a new one."),
});

/** Query of a change that is based on an earlier read. */
export const readVersionQuery = z.object({
  version: z.string().optional().describe("The version of the dataset that was read; another one by now is 409."),
});

/** Answer to `PUT .../datasets/{datasetId}/cases/{questionIndex}`. */
export const putCaseReply = z.object({
  version: z.int().describe("Of the dataset, with this case."),
  caseCount: z.int(),
  questionIndex: z.int(),
  case: question,
});

export const deletedCase = z.object({ deleted: z.literal(true), version: z.int(), caseCount: z.int() });

/** 409: the dataset changed since it was read. */
export const staleDataset = z.object({
  error: z.string(),
  version: z.int().describe("The newest one."),
  case: question.nullable().optional().describe("What now stands in the place; null: no case does. Of a single case."),
});

const recordedId = z.string().optional().catch(undefined).describe("What is no text counts as missing");

/** Body of `POST .../datasets/case-preview`: one of the two; of both the trace counts. */
export const casePreviewBody = z
  .object({ traceId: recordedId, sessionId: recordedId })
  .check(({ value: { traceId, sessionId }, issues }) => {
    if (!(traceId || sessionId)) issues.push({ code: "custom", path: ["traceId"], input: traceId });
  });
const noneNamed = "traceId or sessionId is required";
export const casePreviewSentences = { traceId: noneNamed, sessionId: noneNamed } as const;

/** A recorded trace or session as a case: the first turn is the question, the others are follow-ups. */
export const casePreview = z.object({ case: submittedCase, turns: z.array(recordedTurn) });

/** Body of `POST .../datasets/suggest-expected`. */
export const suggestExpectedBody = z.object({
  query: filledText,
  judgeModel: z.string().nullish(),
  actualOutput: z.string().nullish(),
  error: z.string().nullish(),
});
export const suggestExpectedSentences = {
  query: "query is required",
  judgeModel: "judgeModel must be a string",
  actualOutput: "actualOutput must be a string",
  error: "error must be a string",
} as const;

/** The judge's own answer. */
export const suggestedExpected = z.object({ expected: z.string(), rationale: z.string().nullable() });

/** Query of `POST .../datasets/import`. */
export const importDatasetQuery = z.object({
  name: z.string().min(1),
  description: z.string().optional(),
  dryRun: z.enum(["true", "false"]).optional().describe("true stores nothing and shows what would be."),
});

const listed = z.union([z.string(), z.array(z.string())]).nullish();

/** One row of an import: a question (completions 3.2), or the columns of a table by name, of which `query` must be filled. */
export const importedCase = z.looseObject({
  main_question: question.shape.main_question.optional(),
  query: z.string().optional(),
  expected_results: z.string().nullish(),
  judge_guideline: z.string().nullish(),
  retrieval_context: z.string().nullish(),
  expected_capabilities: listed.describe("A list, or a text that is split at semicolons."),
  expected_knowledge_base: listed,
  expected_delegations: listed,
});

const importTally = {
  imported: z.int(),
  skipped: z
    .array(z.object({ row: z.int(), reason: z.string() }))
    .describe("The first 100 rows with a mistake; rows count from 1, without the header."),
  skippedCount: z.int(),
};

export const importedDataset = z.object({ dataset, ...importTally });

/** Query of `POST .../datasets/{datasetId}/import`. */
export const importCasesQuery = readVersionQuery.extend({
  mode: z
    .enum(["add", "replace"])
    .optional()
    .describe(
      "add, the default: a row that asks what a case asks already changes that case, others become new cases. replace: the dataset has the rows as its cases, and no others.",
    ),
  dryRun: importDatasetQuery.shape.dryRun,
});

/** The result of an import into a dataset, done or planned. */
export const importedCases = z.object({
  version: z.int().describe("Of the dataset: the new one, or the one that a dry run compared with."),
  caseCount: z.int().describe("Cases of the dataset afterwards."),
  added: z.int(),
  changed: z.int(),
  equal: z.int().describe("Rows that say what a case says already."),
  removed: z.int(),
  skipped: importTally.skipped,
  skippedCount: importTally.skippedCount,
  cases: z
    .array(z.object({ change: z.enum(["added", "changed", "removed"]), case: question }))
    .describe("The first 20 that change, as they are afterwards; removed ones as they were. Those added come first."),
});

/** Answer of a dry run. */
export const importPreview = z.object({ ...importTally, cases: z.array(question).describe("The first 20.") });
