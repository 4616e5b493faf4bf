import { z } from "zod";
import { limits } from "../limits.ts";
import { storable } from "./texts.ts";

const isSet = z.refine<string>((digits) => !/^0+$/.test(digits), "must not be all zeros");
const traceId = z
  .string()
  .regex(/^[0-9a-f]{32}$/, "must be 32 lowercase hexadecimal digits")
  .check(isSet);
const spanId = z
  .string()
  .regex(/^[0-9a-f]{16}$/, "must be 16 lowercase hexadecimal digits")
  .check(isSet);
const time = z.string().meta({ format: "date-time" }).describe("ISO 8601; UTC without a zone");

/** One of several requests that describe a span together. Null states nothing. */
const submittedSpanUpdate = z.object({
  traceId,
  spanId,
  id: z
    .string()
    .max(limits.indexedTextMaxChars)
    .check(storable)
    .nullish()
    .describe("Of this update: the second one with an id changes nothing. Default: a hash of the update"),
  type: z.enum(["create", "update"]).nullish().describe("An `update` (default) counts after every `create`"),
  time: time.nullish().describe("When it was made: of two updates the later counts. Default: its receipt"),
  parentSpanId: spanId.nullish(),
  name: z.string().nullish(),
  startTime: time.nullish(),
  endTime: time.nullish().describe("A span without an end is running"),
  error: z.string().nullish().describe("Why it failed"),
  scope: z.string().nullish().describe("The OpenTelemetry instrumentation scope"),
  attributes: z
    .record(z.string(), z.unknown())
    .nullish()
    .describe("OpenTelemetry attributes as plain JSON; the last value of each that is not null counts"),
  widens: z
    .boolean()
    .nullish()
    .describe("The span reaches from the earliest startTime to the latest endTime of its updates"),
});
export type SubmittedSpanUpdate = z.infer<typeof submittedSpanUpdate>;

/** Body of `POST /ingest/span-updates` (otlp 9). */
export const submittedSpanUpdates = z.object({
  updates: z.array(submittedSpanUpdate).min(1).max(limits.spanUpdatesMax),
});

export const submittedSpanUpdatesSentences = {
  updates: { otherwise: `updates must be a list of 1 to ${limits.spanUpdatesMax} span updates`, places: true },
} as const;

export const spanUpdatesReply = z.object({
  updates: z
    .array(
      z.object({
        _id: z.string().nullable().describe("The span that shows it; null if it was not stored"),
        deduped: z.boolean().describe("It was stored before"),
        error: z.string().optional().describe("Why it was not stored"),
      }),
    )
    .describe("In the order of the request"),
});
