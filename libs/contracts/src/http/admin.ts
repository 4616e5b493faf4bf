import { z } from "zod";
import { limits } from "../limits.ts";
import { auditEvent } from "./organizations.ts";

const count = z.number().int().nonnegative();

/**
 * `GET /admin/overview` (completions 12.5): every organization with its objects and its usage in the last 24 hours.
 * `unassigned` are projects without an organization: all of them where there are no accounts.
 */
export const adminOverview = z.object({
  organizations: z.array(
    z.object({
      _id: z.string(),
      name: z.string(),
      createdAt: z.string(),
      members: count,
      projects: count,
      judgeCalls24h: count.describe("Calls to judges, counted by the hour: the present one and the 23 before it"),
      traces24h: count.describe("Root traces"),
    }),
  ),
  unassigned: z.object({ projects: count, judgeCalls24h: count }),
});

/**
 * What one PostgreSQL should hold; beyond one of these for a week, docs/operating/sizing.md says what to do. Spans are of
 * all projects; five weeks hold the longest window of the dashboard.
 */
export const systemThresholds = {
  ingestBytes: 2e12,
  spansPerSecond: 5_000,
  spansOfFiveWeeks: 10_000_000,
  /** The removal of old traces runs every hour. */
  retentionSweepSeconds: 3_600,
} as const;

const amount = z.number().nonnegative();

/** What ingest's part of PostgreSQL holds. Numbers of spans are PostgreSQL's estimates, a minute old. */
export const storedAmounts = z.object({
  databaseBytes: amount.describe("Size of the database of the traces, with everything else in it"),
  ingestBytes: amount.describe("Size of the traces, with indexes and search texts"),
  spans: amount.describe("Stored spans"),
  spansPerSecond: amount.describe("The average of last week or of this week so far, whichever is higher"),
  spansOfFiveWeeks: amount.describe("Stored spans of this week and the four before it"),
});

/** `GET /admin/system` (completions 12.5). */
export const adminSystem = storedAmounts.extend({
  retentionSweepSeconds: amount
    .nullable()
    .describe(
      "How long the last hourly removal of old traces took, or how long the present one has taken if that is longer; null while it is unknown. It then has no threshold",
    ),
  thresholds: z.array(
    z.object({
      name: z.enum(["ingestBytes", "spansPerSecond", "spansOfFiveWeeks", "retentionSweepSeconds"]),
      value: amount,
      threshold: amount,
      exceeded: z.boolean(),
    }),
  ),
});

/**
 * The page of the log that the gateway requests from auth: this many acts below the act `before`; null = from the
 * newest.
 */
export const adminAuditQuery = z.object({
  before: z.uuid().nullable(),
  limit: z.number().int().min(1).max(limits.auditPageMax),
});

/** `GET /admin/audit` (completions 12.5): the logs of all organizations, and acts outside of any. */
export const adminAuditPage = z.object({
  events: z.array(
    auditEvent.extend({
      organizationId: z.string().nullable().describe("null: a project without one, or a deleted organization"),
    }),
  ),
  nextCursor: z.string().nullable(),
});
