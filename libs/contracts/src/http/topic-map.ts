import { z } from "zod";
import { topicCounts } from "./custom-evaluators.ts";

const { window, issueTypes } = topicCounts.shape;

/** `GET /agent-monitoring/topics/map` (completions 9.5): at most 50 intents, the most frequent first. */
export const topicMap = z.object({
  window,
  total: z.int().describe("Traces that were classified in the window"),
  intents: z.array(
    z.object({
      intent: z.string(),
      count: z.int(),
      sentiments: z.object({ positive: z.int(), neutral: z.int(), negative: z.int() }),
      issueTypes: issueTypes.describe("The most frequent first; `none` is one of them"),
      failureRate: z
        .number()
        .min(0)
        .max(1)
        .describe("The share that fails as in the KPIs: by itself, or by a live scorer"),
      traceIds: z.array(z.string()).describe("The newest, at most five"),
    }),
  ),
});
