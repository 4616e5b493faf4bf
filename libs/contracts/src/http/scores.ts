import { z } from "zod";
import { limits } from "../limits.ts";
import { pageEnd } from "./list-page.ts";
import { isUuid, storable } from "./texts.ts";

const id = z.string().min(1).max(limits.indexedTextMaxChars).check(storable);
const name = z.string().min(1).max(limits.scoreNameMaxChars).check(storable);
const text = z.string().max(limits.feedbackTextMaxChars).check(storable);

const dataType = z.enum(["numeric", "categorical", "boolean"]);
export type ScoreDataType = z.infer<typeof dataType>;

export const scoreSource = z.enum(["human", "code", "model", "import"]);
export type ScoreSource = z.infer<typeof scoreSource>;

/** What a score may be about. At least one is needed; what it names may be stored later, or never. */
const targets = {
  traceId: id.nullish().describe("Of Touchstone or of OpenTelemetry; a UUID and its 32 digits name the same trace"),
  spanId: id.nullish(),
  sessionId: id.nullish(),
  runId: id.nullish(),
  caseId: id.nullish().describe("Of the run's dataset"),
  runNumber: z.int32().min(0).nullish().describe("Which repetition of the case"),
};

/** One score of `POST /scores` (completions 2.9). */
export const submittedScore = z.object({
  id: name.nullish().describe("The same id replaces the score; one is made where it is missing"),
  name,
  value: z.union([z.number(), text, z.boolean()]),
  dataType: dataType.nullish().describe("Default: that of the value"),
  comment: text.nullish(),
  metadata: z
    .record(z.string(), z.json())
    .nullish()
    .describe(`At most ${limits.scoreMetadataMaxChars} characters of JSON`),
  source: scoreSource.nullish().describe("Default: code"),
  timestamp: z.string().nullish().describe("ISO 8601, when it was given. Default: when it is first stored"),
  ...targets,
  author: name.nullish().describe("The person or program that gave the score, as the client names it"),
});

const nameSentence = (member: string): string =>
  `${member} must be text of 1 to ${limits.scoreNameMaxChars} characters`;
const idSentence = (member: string): string =>
  `${member} must be text of 1 to ${limits.indexedTextMaxChars} characters`;

export const submittedScoreSentences = {
  id: nameSentence("id"),
  name: nameSentence("name"),
  value: `value must be a number, a boolean or text of at most ${limits.feedbackTextMaxChars} characters`,
  dataType: 'dataType must be "numeric", "categorical" or "boolean"',
  comment: `comment must be text of at most ${limits.feedbackTextMaxChars} characters`,
  metadata: "metadata must be a JSON object",
  source: 'source must be "human", "code", "model" or "import"',
  timestamp: "timestamp must be an ISO 8601 date",
  traceId: idSentence("traceId"),
  spanId: idSentence("spanId"),
  sessionId: idSentence("sessionId"),
  runId: idSentence("runId"),
  caseId: idSentence("caseId"),
  runNumber: "runNumber must be a whole number from 0",
  author: nameSentence("author"),
} as const;

/** Body of `POST /scores`: one score, or a list that is stored whole or not at all. */
export const submittedScores = z.union([
  submittedScore,
  z.array(submittedScore).min(1).max(limits.scoresPerRequestMax),
]);

/** A stored score. What was not sent is null, so that it can be sent back as it is. */
export const score = z.object({
  id: z.string(),
  name: z.string(),
  value: z.union([z.number(), z.string(), z.boolean()]),
  dataType,
  comment: z.string().nullable(),
  metadata: z.record(z.string(), z.json()).nullable(),
  source: scoreSource,
  timestamp: z.string(),
  traceId: z.string().nullable(),
  spanId: z.string().nullable(),
  sessionId: z.string().nullable(),
  runId: z.string().nullable(),
  caseId: z.string().nullable(),
  runNumber: z.int().nullable(),
  author: z.string().nullable(),
  authorId: z.string().nullable().describe("The user who was signed in; null of a score with the project's key"),
  createdAt: z.string(),
  updatedAt: z.string().describe("When it was last sent"),
});
export type Score = z.infer<typeof score>;

/** The scores in the detail of a trace or session: the newest ones. */
export const shownScores = z
  .array(score.extend({ id: z.string().nullable().describe("Null: an evaluation in the telemetry of the span") }))
  .describe(`At most ${limits.scoresShownMax}, newest first; all of them are in GET /scores`);
export type ShownScore = z.infer<typeof shownScores>[number];

/** 201 of `POST /scores`: each id once, in the order sent. */
export const storedScores = z.object({ scores: z.array(score) });

/** Query of `GET /scores`. A target's filter finds the scores that name it. */
export const listScoresQuery = z.object({
  name: z.string().optional(),
  source: z.string().optional().describe("human, code, model or import"),
  traceId: z.string().optional(),
  spanId: z.string().optional(),
  sessionId: z.string().optional(),
  runId: z.string().optional(),
  caseId: z.string().optional(),
  from: z.string().optional().describe("ISO 8601; timestamp, inclusive"),
  to: z.string().optional().describe("ISO 8601; timestamp, exclusive"),
  limit: z.string().optional().describe(`1 to ${limits.scorePageMax}, default ${limits.scorePageDefault}`),
  cursor: z.string().optional().describe("Where to continue; take it from nextCursor"),
});

export const scoreList = z.object({ scores: z.array(score), ...pageEnd });

export const scoreParams = z.object({ scoreId: z.string() });

export const scoreReply = z.object({ score });

export const deletedScore = z.object({ deleted: z.literal(true) });

/** Traces, and scores of a reply, in one call of the internal `readRunScores`. */
export const runScoresMax = 1_000;

/**
 * Body of the internal `readRunScores`: the numeric and boolean scores of one name that name a run or one of some traces,
 * which are given as {@link canonicalTraceId}.
 */
export const runScoresQuery = z.object({
  projectId: z.uuid(),
  name: z.string(),
  runId: z.uuid().nullable(),
  traceIds: z.array(z.string()).max(runScoresMax),
  cursor: z.string().nullable(),
});

/** Its reply: a page, the newest first. */
export const runScores = z.object({
  scores: z.array(
    z.object({
      /** Of a boolean 1 or 0. */
      value: z.number(),
      /** Null: it does not name the run. */
      ofRun: z.object({ caseId: z.string().nullable(), runNumber: z.int().nullable() }).nullable(),
      /** The ones that were asked for and that it names. */
      traceIds: z.array(z.string()),
      /** The span that it names. Null: none, or a version of ingest without this field wrote it. */
      spanId: z.string().nullable().default(null),
    }),
  ),
  nextCursor: z.string().nullable(),
});
export type RunScores = z.infer<typeof runScores>;

/** Scores in one reply of the internal `readHumanScores`. */
export const humanScoresMax = 1_000;

/** Body of the internal `readHumanScores`: the scores that people gave to whole traces since an instant. */
export const humanScoresQuery = z.object({
  projectId: z.uuid(),
  since: z.iso.datetime(),
  cursor: z.string().nullable(),
});

/** Its reply: a page, the newest first. */
export const humanScores = z.object({
  scores: z.array(
    z.object({
      /** The ids that the trace may have in Touchstone: as named, and the root of an OpenTelemetry trace. */
      traceIds: z.array(z.guid()),
      value: z.union([z.number(), z.string(), z.boolean()]),
      comment: z.string().nullable(),
      timestamp: z.string(),
    }),
  ),
  nextCursor: z.string().nullable(),
});
export type HumanScores = z.infer<typeof humanScores>;

/** The form of a trace id in which all its spellings are equal: of a UUID or OpenTelemetry's id the 32 digits, else as it is. */
export function canonicalTraceId(traceId: string): string {
  const digits = traceId.replaceAll("-", "").toLowerCase();
  const isId = /^[0-9a-f]{32}$/.test(digits) && (traceId.length === 32 || isUuid(traceId.toLowerCase()));
  return isId ? digits : traceId;
}
