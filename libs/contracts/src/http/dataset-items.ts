import { z } from "zod";
import { limits } from "../limits.ts";

// Datasets as other systems know them: found by name, with cases that have an id and any JSON. Asked by dropin.

const page = { offset: z.int().min(0), limit: z.int().min(1).max(limits.peerPageMax) };

export const namedDataset = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  metadata: z.unknown(),
  createdAt: z.string(),
  updatedAt: z.string().describe("When the newest version was made."),
});

/** Makes the dataset, or changes what is sent of the one that has the name. */
export const keptDataset = z.object({
  name: z.string(),
  description: z.string().nullish(),
  metadata: z.unknown().optional(),
});

export const datasetName = z.object({ name: z.string() });
export const foundDataset = z.object({ dataset: namedDataset.nullable() });
export const datasetPageQuery = z.object(page);
export const datasetPage = z.object({ datasets: z.array(namedDataset), totalCount: z.int() });

/** A case with an id. What the client sent comes back as it was sent. */
export const datasetItem = z.object({
  id: z.string(),
  status: z.enum(["ACTIVE", "ARCHIVED"]),
  input: z.unknown(),
  expectedOutput: z.unknown(),
  metadata: z.unknown(),
  sourceTraceId: z.string().nullable(),
  sourceObservationId: z.string().nullable(),
  mediaReferences: z.array(z.unknown()).describe("Empty between services"),
  datasetId: z.string(),
  datasetName: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
});

/** Makes the item, or changes what is sent of the one that has the id. */
export const keptItem = z.object({
  datasetName: z.string(),
  id: z.string().nullish(),
  input: z.unknown().optional(),
  expectedOutput: z.unknown().optional(),
  metadata: z.unknown().optional(),
  status: z.enum(["ACTIVE", "ARCHIVED"]).nullish(),
  sourceTraceId: z.string().nullish(),
  sourceObservationId: z.string().nullish(),
});

export const itemId = z.object({ id: z.string() });
export const foundItem = z.object({ item: datasetItem.nullable() });
export const itemPageQuery = z.object({ datasetName: z.string(), ...page });
export const itemPage = z.object({ items: z.array(datasetItem), totalCount: z.int() });
