import { z } from "zod";
import { pageEnd } from "./list-page.ts";
import { shownResult } from "./runs.ts";

/** Query of `GET .../runs/{runId}/results`. */
export const listResultsQuery = z.object({
  status: z.string().optional().describe("scored, skipped or failed"),
  scorer: z.string().optional().describe("Name or id of an additional scorer whose ratings are filtered and sorted by"),
  questionIndex: z.string().optional().describe("Only the results of this case"),
  resultId: z.string().optional().describe("Only this result"),
  ratingAbove: z.string().optional().describe("A number: the lowest rating, exclusive"),
  ratingMax: z.string().optional().describe("A number: the highest rating, inclusive"),
  baseline: z.string().optional().describe("A run of the same dataset to compare cases with"),
  sort: z
    .string()
    .optional()
    .describe(
      "case (default), rating, -rating, spread or delta; the results of a case stay together, what has no value is last",
    ),
  limit: z.string().optional().describe("1 to 200, default 50"),
  cursor: z.string().optional().describe("The result to continue after; take it from nextCursor"),
});

/** A result with the known details of its case. */
const listedResult = shownResult.extend({
  expected: z.string().nullable().describe("What the case expects; null when it expects nothing"),
  ofCase: z
    .object({
      rating: z.number().nullable().describe("Mean of the repetitions that are rated; variants excluded"),
      minRating: z.number().nullable(),
      maxRating: z.number().nullable(),
      results: z.number().int().describe("Repetitions, rated or not; variants excluded"),
      baselineRating: z.number().nullable().describe("The same mean in the baseline"),
      delta: z.number().nullable().describe("rating minus baselineRating"),
    })
    .describe("All results of the case by the chosen scorer, whatever the filters leave"),
});

/** 200 of `GET .../runs/{runId}/results`. */
export const resultList = z.object({
  results: z.array(listedResult),
  totalCount: z.number().int().describe("Results that match, on all pages"),
  caseCount: z.number().int().describe("Cases that these are of; a result without a case counts as one"),
  ...pageEnd,
});
