import { z } from "zod";
import { dashboardWindow as window } from "../dashboard-window.ts";

const share = z.number().min(0).max(1).nullable();
const usd = z.number().nonnegative();

/**
 * `GET /agent-monitoring/agent-figures`: the figures of each agent in a window, at most 200 of them, most failing
 * first.
 */
export const agentFigures = z.object({
  window,
  since: z.string().describe("The start of the window: ISO 8601, a whole hour or day in UTC"),
  agents: z.array(
    z.object({
      agentId: z.string().nullable().describe("null: traces that name no agent"),
      name: z.string().nullable().describe("null: they name no agent, or it is gone"),
      totalRuns: z.int().describe("Root traces that settled and are watched"),
      failingRuns: z.int().describe("Failing by themselves or by a live scorer; one that fails both ways counts once"),
      operationalFailingRuns: z.int(),
      scorerFailingRuns: z.int(),
      failureRate: share.describe("Failing runs among all"),
      latencyP95: z.number().nullable().describe("Milliseconds; null where no run has one"),
      meanRating: z.number().min(0).max(10).nullable().describe("Of the ratings of its runs; null without one"),
      ratings: z
        .int()
        .describe(
          "Newest ratings of live judges and custom scorers; those of groups are left out, because they would count twice",
        ),
      costUSD: usd
        .nullable()
        .describe("Of all its spans, evaluation traffic included; null where no price is known for any of them"),
      mainFailure: z
        .object({ patternKey: z.string(), kind: z.string(), count: z.int() })
        .nullable()
        .describe("The failure that checks found in it most often, votes of people left out; null without one"),
    }),
  ),
});

/** Requests the cost of each agent's spans from ingest, with the prices of the project's organization. */
export const agentCostsQuery = z.object({
  projectId: z.uuid(),
  organizationId: z.uuid().nullable(),
  window,
});

/**
 * USD by agent, at most 1,000 of them; null is the total of spans without an agent. Agents without any price are
 * missing.
 */
export const agentCosts = z.object({ costs: z.array(z.object({ agentId: z.uuid().nullable(), cost: usd })) });
