import { z } from "zod";

const limit = z.number().int().nullable().describe("null: unlimited");
const counted = z.object({ used: z.number().int(), limit });

/** A project's usage on the current UTC day (completions 1.4). */
export const usage = z.object({
  day: z.string().describe("YYYY-MM-DD, UTC"),
  resetsAt: z.string().describe("ISO 8601; the next midnight UTC"),
  traces: counted,
  onlineJudgeCalls: counted,
  judgeCalls: counted.describe(
    "Of the project's organization where quotas are per organization, else of the installation",
  ),
});

/**
 * How long a project's traces are kept, in days of their own time. `retentionDays` is the project's own choice: null
 * follows the installation, 0 keeps them indefinitely. `effectiveRetentionDays` is the value in force: null keeps them
 * indefinitely.
 */
export const retention = z.object({
  retentionDays: z.number().int().nullable(),
  effectiveRetentionDays: z.number().int().nullable(),
});

/** 0 and less keep them indefinitely; null follows the installation (completions 9.8). */
export const submittedRetention = z.object({ retentionDays: z.number().int().max(36_500).nullable() });
export const submittedRetentionSentences = {
  retentionDays: "retentionDays must be a whole number of days, or null",
} as const;
