import { z } from "zod";
import { type DashboardWindow, lengthOf, dashboardWindow as window } from "../dashboard-window.ts";
import type { ErrorCode } from "../errors.ts";

/** Why a request with telemetry is refused: the codes of docs/operating/errors.md that can occur for it. */
export const ingestRefusals = [
  "bad_request",
  "body_unreadable",
  "forbidden",
  "host_refused",
  "body_too_large",
  "unsupported_media_type",
  "trace_invalid",
  "rate_limited",
  "queue_full",
  "trace_quota_spent",
  "internal",
  "store_unavailable",
  "service_unavailable",
] as const satisfies ErrorCode[];

/** Parts of accepted requests that were not stored, by kind. */
export const rejectedItems = ["spans", "log_records", "lines"] as const;

/** The outcome of a request, or, `rejected_...`, of a part of an accepted one. */
export const ingestOutcomes = [
  "accepted",
  ...ingestRefusals,
  "rejected_spans",
  "rejected_log_records",
  "rejected_lines",
] as const;

export type IngestRefusal = (typeof ingestRefusals)[number];
export type IngestOutcome = (typeof ingestOutcomes)[number];

/** The maximum length of an example. */
export const outcomeExampleMaxChars = 200;

const count = z.int().nonnegative();
const lastAt = z.string().describe("When it happened last: ISO 8601");
const example = z
  .string()
  .nullable()
  .describe("From the latest answer, where it says more than the reason. Never text of a payload");

/** `GET /agent-monitoring/ingest-health`: the outcomes of the project's requests with telemetry. */
export const ingestHealth = z.object({
  window,
  since: z.string().describe("The start of the window: ISO 8601, a whole hour in UTC"),
  accepted: count.describe("Requests that were answered 2xx: REST traces, OTLP traces and logs, imports"),
  refused: count.describe("Requests that were refused as a whole; those with an unknown key are not counted"),
  refusals: z
    .array(
      z.object({
        reason: z.enum(ingestRefusals).describe("The code of the error"),
        status: z.int().describe("The HTTP status that goes with it"),
        count,
        lastAt,
        example,
      }),
    )
    .describe("By reason, the most frequent first"),
  rejected: count.describe("Parts of accepted requests that were not stored: OTLP partial success, lines of imports"),
  parts: z
    .array(z.object({ items: z.enum(rejectedItems), count, lastAt, example }))
    .describe("The rejected parts by what they are"),
  hours: z
    .array(
      z.object({
        ts: z.string().describe("When the hour began: ISO 8601"),
        accepted: count,
        refused: count,
        refusals: z.record(z.string(), count).describe("By reason"),
        rejected: count.describe("Spans, log records and lines together"),
      }),
    )
    .describe("Every hour of the window in UTC, oldest first, the present one last"),
});

export type IngestHealth = z.infer<typeof ingestHealth>;

const hourMs = 3_600_000;

/** The hours of a window, as epoch milliseconds: the current one is the last. `1h` shows the hour before it, too. */
export function listHours(shown: DashboardWindow, now: number): number[] {
  const last = Math.floor(now / hourMs) * hourMs;
  const hours = Math.max(2, lengthOf(shown) / hourMs);
  return Array.from({ length: hours }, (_, index) => last - (hours - 1 - index) * hourMs);
}

/** The number of counts that a gateway sends at a time. */
export const reportedCountsMax = 1_000;

const counted = {
  hour: z.iso.datetime(),
  count: z.int().positive(),
  lastAt: z.iso.datetime(),
  example: z.string().max(outcomeExampleMaxChars).nullable(),
};

/** A gateway's counts since its last report: ingest adds them to its own. */
export const reportedIngestCounts = z.object({
  counts: z
    .array(z.object({ projectId: z.uuid(), outcome: z.enum(ingestOutcomes), ...counted }))
    .max(reportedCountsMax),
});

export const ingestCountsQuery = z.object({ projectId: z.uuid(), since: z.iso.datetime() });

/**
 * The counts of a project: one row for each hour and outcome. A newer version may have outcomes that are unknown here.
 */
export const ingestCounts = z.object({ counts: z.array(z.object({ outcome: z.string(), ...counted })) });

export type IngestCountsReply = z.infer<typeof ingestCounts>;
