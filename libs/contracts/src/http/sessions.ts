import { z } from "zod";
import { dashboardWindow, dashboardWindowQuery } from "../dashboard-window.ts";

/** Query of `GET /agent-monitoring/sessions`. */
export const listSessionsQuery = dashboardWindowQuery.extend({
  view: z.string().optional().describe("preview: with the first question of each session"),
});

/** `GET /agent-monitoring/sessions` (completions 2.7). */
export const sessionList = z.object({
  window: dashboardWindow,
  sessions: z.array(
    z.object({
      sessionId: z.string(),
      agentId: z.string().nullable(),
      agentName: z.string().nullable(),
      firstInput: z
        .string()
        .nullable()
        .optional()
        .describe(
          "In the preview: the first question of the window, at most 300 characters; null where none was recorded, or it is large",
        ),
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
