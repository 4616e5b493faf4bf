import { z } from "zod";
import { dashboardWindow as window } from "../dashboard-window.ts";

const share = z.number().min(0).max(1).nullable();

/** `GET /agent-monitoring/model-comparison` (completions 9.5): at most 50 models, those with most traces first. */
export const modelComparison = z.object({
  window,
  since: z.string().describe("The start of the window: ISO 8601, a whole hour or day in UTC"),
  models: z.array(
    z.object({
      model: z.string().nullable().describe("As the traces name it; null: they name none"),
      traces: z.int().describe("Watched root traces, by the time they began"),
      errors: z.int().describe("Traces that ended in an error"),
      errorRate: share,
      latencyP50: z.number().nullable().describe("Milliseconds; null where no trace has one"),
      latencyP95: z.number().nullable(),
      meanRating: z.number().min(0).max(10).nullable().describe("Of the ratings; null without one"),
      ratings: z
        .int()
        .describe(
          "Newest ratings of live judges and custom scorers; those of groups are left out, because they would count twice",
        ),
      costUSD: z
        .number()
        .nonnegative()
        .nullable()
        .describe("Of all spans of the model, those in other models' traces too; null where no price is known"),
    }),
  ),
});

/** Requests the cost of a project's spans from ingest, with the prices of its organization. */
export const modelCostsQuery = z.object({
  projectId: z.uuid(),
  organizationId: z.uuid().nullable(),
  window,
});

/** USD by model; models without any price are missing. */
export const modelCosts = z.object({ costs: z.array(z.object({ model: z.string(), cost: z.number().nonnegative() })) });
