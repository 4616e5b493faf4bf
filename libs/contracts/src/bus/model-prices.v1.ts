import { z } from "zod";
import { defineEvent, defineRequest } from "./define.ts";

const price = z.number().nonnegative().describe("USD per million tokens");

/** What was changed in the built-in catalogue: a model of one's own, other prices, or a built-in model that is out. */
export const priceChange = z.object({
  model: z.string(),
  provider: z.enum(["openai", "anthropic", "gemini", "custom"]),
  label: z.string(),
  input: price,
  output: price,
  /** Null: cached tokens cost what others do. */
  cacheRead: price.nullable(),
  cacheWrite: price.nullable(),
  isRemoved: z.boolean(),
});
export type PriceChange = z.infer<typeof priceChange>;

/**
 * The changes of one owner as a whole (decision 29): an organization, or a project that is in none. `revision` grows with
 * every change of one owner: a reader keeps the greatest it saw, so order and repetition do not matter.
 */
const priceList = z.object({
  ownerId: z.uuid(),
  revision: z.number().int().positive(),
  changes: z.array(priceChange),
});
export type PriceList = z.infer<typeof priceList>;

/** Told of every change, sooner or later. */
export const modelPricesChanged = defineEvent({
  subject: "event.model-prices.changed.v1",
  publishedBy: "auth",
  consumedBy: ["ingest"],
  durables: ["ingest-model-prices-changed"],
  body: priceList,
});

/** The same, told before the change is acknowledged (decision 42). With the reply it is in force in ingest. */
export const keepModelPrices = defineRequest({
  subject: "svc.ingest.keep-model-prices.v1",
  askedBy: ["auth"],
  answeredBy: "ingest",
  body: priceList,
  reply: z.object({}),
});

/** Changes that ingest kept for a project before the catalogue was auth's. What auth has under the same id stays. */
export const modelPricesHandedOver = defineEvent({
  subject: "event.model-prices.handed-over.v1",
  publishedBy: "ingest",
  consumedBy: ["auth"],
  durables: ["auth-model-prices-handed-over"],
  body: z.object({ projectId: z.uuid(), changes: z.array(priceChange) }),
});
