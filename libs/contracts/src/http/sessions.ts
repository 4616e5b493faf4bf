import { z } from "zod";

export const listSessionsQuery = z.object({
  window: z.string().optional().describe("24h, 7d (the default) or 30d"),
});

/** `GET /agent-monitoring/sessions` (completions 2.7). */
export const sessionList = z.object({
  window: z.enum(["24h", "7d", "30d"]),
  sessions: z.array(
    z.object({
      sessionId: z.string(),
      agentId: z.string().nullable(),
      agentName: z.string().nullable(),
      turnCount: z.number().int().describe("Root traces"),
      spanCount: z.number().int(),
      errorCount: z.number().int().describe("Spans with an error"),
      totalLatencyMs: z.number().describe("Of the root traces"),
      firstAt: z.string(),
      lastAt: z.string(),
      judgeRating: z.number().nullable(),
      judgeName: z.string().nullable(),
      judgeCheckedAt: z.string().nullable(),
      judges: z.array(z.object({ name: z.string(), rating: z.number() })),
    }),
  ),
});
