import { z } from "zod";
import { defineEvent } from "./define.ts";

/** A recorded gate verdict on a run (completions 5.6). Delivered at least once; identified by its id. */
export const gateRecorded = defineEvent({
  subject: "event.gate.recorded.v1",
  publishedBy: "eval-runs",
  consumedBy: ["monitor"],
  durables: ["monitor-gate-recorded"],
  body: z.object({
    projectId: z.uuid(),
    gateId: z.uuid(),
    runId: z.uuid(),
    datasetId: z.string(),
    passed: z.boolean(),
    /** The messages of the failed checks; empty for a gate that passed. */
    failedChecks: z.array(z.string()),
    recordedAt: z.string(),
  }),
});
export type RecordedGateEvent = z.infer<typeof gateRecorded.body>;
