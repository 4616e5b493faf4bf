import { z } from "zod";
import { defineEvent } from "./define.ts";

/** The result of evaluating a recorded trace: a verdict of one judge, or of a group. */
export const ratedResult = z.object({
  projectId: z.uuid(),
  runId: z.uuid(),
  traceId: z.uuid(),
  /** The same in every repetition of the verdict. */
  verdictId: z.string(),
  scorerKind: z.enum(["judge", "group"]),
  scorerId: z.string(),
  scorerName: z.string(),
  rating: z.number().min(0).max(10),
  /** At most 4,000 characters. */
  justification: z.string(),
  /** The model that the judge names; null: it names none, or it is a group. */
  model: z.string().nullable(),
  ratedAt: z.iso.datetime(),
});
export type RatedResult = z.infer<typeof ratedResult>;

/** Results of runs that name a trace, sent where verdicts are exported as telemetry. Delivered at least once. */
export const resultsRated = defineEvent({
  subject: "event.results.rated.v1",
  publishedBy: "eval-runs",
  consumedBy: ["monitor"],
  durables: ["monitor-results-rated"],
  body: z.object({ results: z.array(ratedResult).min(1) }),
});
