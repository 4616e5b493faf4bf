import { z } from "zod";
import { dashboardWindowQuery, dashboardWindow as window } from "../dashboard-window.ts";
import { limits } from "../limits.ts";

export const promptVersionsQuery = dashboardWindowQuery.extend({
  name: z.string().optional().describe("Of the prompt, as spans state it; required"),
});

/**
 * `GET /agent-monitoring/prompt-versions` (completions 9.5): the traces of a window whose spans state a prompt, by the version that
 * they state. A trace whose spans state several versions counts for each.
 */
export const promptVersions = z.object({
  name: z.string(),
  window,
  since: z.string().describe("Traces created from then on count; as `from`, it lists them"),
  versions: z
    .array(
      z.object({
        version: z.string().nullable().describe("As the spans state it; null: they state none"),
        traces: z.int(),
        errors: z.int().describe("Of these, ended in an error"),
        rated: z.int().describe("Of these, rated by a live judge"),
        averageRating: z.number().nullable().describe("0 to 10, of the rated ones; null: none is"),
        costUSD: z
          .number()
          .nonnegative()
          .nullable()
          .describe("Of the spans that state the version, together; null: none has a price"),
      }),
    )
    .max(limits.promptVersionsListedMax)
    .describe("Last used first"),
});
