import { z } from "zod";

/** `online-eval:<id>` or `scorer-group:<id>`, as `readCalibration` has it. */
export const agreementParams = z.object({ scorerKey: z.string() });

/** The scorer's and a person's judgement of a trace: the four cells of `table` in `readCalibration`. */
export const agreementCell = z.enum(["bothFail", "onlyScorerFails", "onlyPersonFails", "bothPass"]);

export const agreementPairsQuery = z.object({
  version: z.string().optional().describe("Of the scorer; every version without it"),
  cell: agreementCell.optional(),
  limit: z.string().optional().describe("1 to 50, default 20"),
  cursor: z.string().optional().describe("Where to continue; take it from nextCursor"),
});

/** `GET /agent-monitoring/calibration/{scorerKey}/pairs`: the traces behind the table, last labelled first. */
export const agreementPairs = z.object({
  pairs: z.array(
    z.object({
      traceId: z.string(),
      cell: agreementCell,
      scorerVersion: z.int().nullable(),
      rating: z.number(),
      threshold: z.number(),
      justification: z.string().nullable(),
      verdictId: z.string().nullable().describe("The record of the verdict, see GET /verdicts/{verdictId}"),
      judgedAt: z.string(),
      vote: z.enum(["up", "down"]).nullable().describe("The newest vote on the trace; null if there is none"),
      correctedScore: z
        .number()
        .nullable()
        .describe("The rating that a person gave instead; it takes precedence over the vote"),
      comment: z.string().nullable().describe("The person's comment"),
      labelledAt: z.string(),
      input: z.string().nullable().describe("Its first 500 characters; null when the trace is gone"),
      output: z.string().nullable().describe("Its first 500 characters; null when the trace is gone"),
    }),
  ),
  nextCursor: z.string().nullable(),
});

export const agreementSampleQuery = z.object({
  version: z.string().optional().describe("Of the scorer; every version without it"),
  n: z.string().optional().describe("How many traces: 1 to 50, default 20"),
});

/**
 * `GET /agent-monitoring/calibration/{scorerKey}/sample`: a random sample of the unlabelled traces that it rated
 * against a threshold. It contains no ratings: they must not influence the labels.
 */
export const agreementSample = z.object({
  traces: z.array(z.object({ traceId: z.string() })).describe("In the order drawn"),
  unlabelled: z.int().describe("How many it was drawn from, at most 100,000: the newest ones"),
});
