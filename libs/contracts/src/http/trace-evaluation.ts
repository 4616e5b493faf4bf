import { z } from "zod";
import { submittedWorkspaceId } from "../workspace.ts";

/** Body of `POST /ingest/traces/{traceId}/evaluate`: the id of a dataset or of a grading config. */
export const traceToEvaluate = z.object({ datasetId: z.string().min(1), workspaceId: submittedWorkspaceId.nullish() });
export const traceToEvaluateSentences = {
  datasetId: "traceId and datasetId are required",
  workspaceId: "workspaceId may be anything",
} as const;

/** 200 of the same. `rating` is null when the judge could not score; then `justification` says why. */
export const evaluateTraceReply = z.object({
  run_id: z.string(),
  trace_id: z.string(),
  rating: z.number().nullable(),
  justification: z.string().nullable(),
  status: z.literal("completed"),
});
