import { z } from "zod";
import { defineEvent, defineRequest } from "./define.ts";

const price = z.number().nonnegative().describe("USD per million tokens");

/** The changes to the built-in catalogue: a custom model, other prices, or a removed built-in model. */
export const priceChange = z.object({
  model: z.string(),
  provider: z.enum(["openai", "anthropic", "gemini", "custom"]),
  label: z.string(),
  input: price,
  output: price,
  /** Null: cached tokens cost as much as others. */
  cacheRead: price.nullable(),
  cacheWrite: price.nullable(),
  isRemoved: z.boolean(),
});
export type PriceChange = z.infer<typeof priceChange>;

/**
 * All changes of one owner (decision 29): an organization, or a project without one. `revision` grows with every change
 * of one owner: a reader keeps the greatest it saw, so order and repetition do not matter.
 */
const priceList = z.object({
  ownerId: z.uuid(),
  revision: z.number().int().positive(),
  changes: z.array(priceChange),
});
export type PriceList = z.infer<typeof priceList>;

/** Reports every change, eventually. */
export const modelPricesChanged = defineEvent({
  subject: "event.model-prices.changed.v1",
  publishedBy: "auth",
  consumedBy: ["ingest"],
  durables: ["ingest-model-prices-changed"],
  body: priceList,
});

/** The same, sent before the change is acknowledged (decision 42). With the reply it is in force in ingest. */
export const keepModelPrices = defineRequest({
  subject: "svc.ingest.keep-model-prices.v1",
  askedBy: ["auth"],
  answeredBy: "ingest",
  body: priceList,
  reply: z.object({}),
});

/** Changes that ingest kept for a project before auth owned the catalogue. Auth's entries with the same id are kept. */
export const modelPricesHandedOver = defineEvent({
  subject: "event.model-prices.handed-over.v1",
  publishedBy: "ingest",
  consumedBy: ["auth"],
  durables: ["auth-model-prices-handed-over"],
  body: z.object({ projectId: z.uuid(), changes: z.array(priceChange) }),
});
