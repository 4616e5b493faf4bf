import { z } from "zod";
import { defineEvent } from "./define.ts";

/** A case of a dataset that a client answered in an experiment, as the spans of its trace state it (dropin 1.6). */
export const experimentItem = z.object({
  projectId: z.uuid(),
  /** Of the experiment, as its client made it: any text, but no UUID. */
  experimentId: z.string(),
  runName: z.string(),
  description: z.string().nullable(),
  /** JSON text of an object. */
  metadata: z.string().nullable(),
  /** The client's id of the dataset item. */
  caseId: z.string(),
  /** 32 and 16 lowercase hexadecimal characters: the trace, and the observation whose output is the answer. */
  otelTraceId: z.string(),
  otelSpanId: z.string(),
  /** ISO 8601; the start of the trace. */
  createdAt: z.iso.datetime(),
});
export type ExperimentItem = z.infer<typeof experimentItem>;

/**
 * Items of experiments whose clients send nothing but spans, sent whenever the trace of an item settles. Delivered at least once: a
 * run has an item once for its case and trace.
 */
export const experimentItemsRecorded = defineEvent({
  subject: "event.experiment-item.recorded.v1",
  publishedBy: "ingest",
  consumedBy: ["eval-runs"],
  durables: ["eval-runs-experiment-item-recorded"],
  gathers: "items",
  body: z.object({ items: z.array(experimentItem).min(1) }),
});
