import { z } from "zod";
import { limits } from "../limits.ts";

// External runs as other systems know them: found by the name of the run, with an item for each case and trace. Asked by dropin.

const page = { offset: z.int().min(0), limit: z.int().min(1).max(limits.peerPageMax) };

export const runItem = z.object({
  id: z.string().describe("Of the result"),
  runId: z.string(),
  runName: z.string(),
  caseId: z.string(),
  traceId: z.string().describe("As the client sent it, like observationId"),
  observationId: z.string().nullable(),
  createdAt: z.string(),
});

/** Adds a case and its trace to a run, which is made if there is none of the name. Sent again, it is the same item. */
export const keptRunItem = z.object({
  runName: z.string(),
  description: z.string().optional().describe("Not sent: the run keeps the one it has, as it does metadata"),
  metadata: z.unknown().optional(),
  caseId: z.string(),
  traceId: z.string(),
  observationId: z.string().nullable(),
  otel: z
    .object({ traceId: z.string(), spanId: z.string().nullable() })
    .describe("The ids of the trace and the observation in OpenTelemetry"),
  createdAt: z.iso.datetime({ offset: true }).nullable().describe("Null: now"),
});

export const namedRun = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  metadata: z.unknown(),
  datasetId: z.string(),
  datasetName: z.string(),
  createdAt: z.string(),
  updatedAt: z.string().describe("When its description or metadata changed"),
});

export const namedRunPageQuery = z.object({ datasetName: z.string(), ...page });
/** Newest first; null = there is no such dataset. */
export const namedRunPage = z.object({ runs: z.array(namedRun).nullable(), totalCount: z.int() });

export const namedRunQuery = z.object({ datasetName: z.string(), runName: z.string() });
/** A run with its newest items, at most `limits.peerRunItemsMax`; null = there is none of the name. */
export const foundRun = z.object({ run: namedRun.nullable(), items: z.array(runItem) });

export const runItemPageQuery = z.object({ datasetId: z.string(), runName: z.string(), ...page });
/** Newest first. */
export const runItemPage = z.object({ items: z.array(runItem), totalCount: z.int() });
