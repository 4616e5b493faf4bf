import { z } from "zod";
import { analysisNarrative } from "../bus/judge-writing.v1.ts";

const modelMaxChars = 200;
/** Far more than are used: a longer list is refused before its items are read. */
const judgesMax = 1_000;

/** Body of `POST .../runs/{runId}/analyze`, optional (completions 5.9). At most three judges are used. */
export const analyzeRunBody = z.object({
  qualityMode: z.enum(["balanced", "quality_first"]).optional(),
  judges: z
    .array(z.object({ model: z.string().min(1).max(modelMaxChars) }))
    .max(judgesMax)
    .nullish(),
  mode: z.unknown().describe("Ignored").optional(),
});
export const analyzeRunSentences = {
  qualityMode: 'qualityMode must be "balanced" or "quality_first"',
  judges: "judges must be an array of { model }",
  mode: "mode may be anything",
} as const;

/** 200 of `POST .../analyze`; both ids are the run's. */
export const analyzeRunReply = z.object({
  evaluationId: z.string(),
  jobId: z.string(),
  status: z.enum(["completed", "failed"]),
  mode: z.literal("sync"),
  qualityMode: z.enum(["balanced", "quality_first"]),
});

const failureReason = z.object({
  code: z.literal("ANALYSIS_FAILED"),
  message: z.string(),
  retryable: z.literal(true),
});

/** 200 of `GET .../analyze-status`. */
export const analysisStatus = z.object({
  evaluationId: z.string(),
  jobId: z.string().nullable(),
  status: z.enum(["not_started", "running", "completed", "failed"]),
  progress: z.object({
    overallPercentage: z.number().min(0).max(100),
    currentLevel: z.null(),
    levels: z.object({}),
  }),
  failureReason: failureReason.nullable(),
  stale: z.boolean().describe("The run has been rescored since"),
  warnings: z.array(z.string()),
  cost: z.object({ estimatedUSD: z.null() }),
  etaUpdatedAt: z.null(),
  overflowStats: z.object({
    compressedItems: z.number().int(),
    maxCompressionRatio: z.null(),
    tokenOverflowCount: z.number().int(),
    recursiveSplitCount: z.number().int(),
  }),
});

/**
 * interface: Report. The narrative is absent when the analysis failed; statistics and cases describe the run's current
 * state.
 */
export const report = analysisNarrative.partial().extend({
  runId: z.string(),
  datasetId: z.string(),
  status: z.enum(["completed", "failed"]),
  instructionChanges: z.array(z.json()).optional().describe("Always empty for external agents"),
  statistics: z
    .object({
      numberOfRuns: z.number().int().describe("Rated results"),
      averageRating: z.number(),
      minRating: z.number(),
      maxRating: z.number(),
      ratingVariance: z.number(),
    })
    .nullable(),
  lowScoringCases: z.array(
    z.object({
      query: z.string().nullable(),
      response: z.string().nullable(),
      rating: z.number(),
      justification: z.string().nullable(),
    }),
  ),
  failureReason: failureReason.nullable(),
  stale: z.boolean().describe("The run has been rescored since the analysis"),
});
