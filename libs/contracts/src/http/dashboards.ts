import { z } from "zod";
import { dashboardWindowQuery, dashboardWindow as window } from "../dashboard-window.ts";

const share = z.number().min(0).max(1).nullable();
const change = z.number().min(-1).max(1).nullable();

/**
 * `GET /monitor/kpis` (completions 9.5): figures of the watched traffic in a window. Rates are fractions between 0 and
 * 1, and null, never NaN, where the denominator is 0.
 */
export const kpis = z.object({
  window,
  since: z.string().describe("The start of the window: ISO 8601; as `from` it lists the traces that are counted"),
  totalRuns: z.int().describe("Root traces that settled and are watched, by the time they began"),
  healthRate: share.describe("Healthy runs among all"),
  failureRate: share.describe("Failing runs among all"),
  downvoteRate: share.describe("Votes down among the votes of the window"),
  toolFailureRate: share.describe("Runs in which a tool failed among those that called one"),
  p95LatencyMs: z.number().nullable(),
  deltas: z
    .object({ healthRate: change, failureRate: change, downvoteRate: change, toolFailureRate: change })
    .describe("The rate minus that of the window before; null where either is"),
  breakdown: z.object({
    totalRuns: z.int(),
    healthyRuns: z.int().describe("Those that do not fail"),
    failingRuns: z.int().describe("Failing by themselves or by a live scorer; one that fails both ways counts once"),
    operationalFailingRuns: z.int().describe("A tool failed, the trace ended in an error, or its response is empty"),
    scorerFailingRuns: z.int().describe("The newest rating of a live scorer is below its threshold"),
    healthRate: share,
    toolRuns: z.int().describe("Those that called a tool"),
    toolFailingRuns: z.int().describe("Those in which a tool failed"),
    votes: z.int().describe("Votes given in the window"),
    votesDown: z.int(),
  }),
});

const point = { label: z.string(), ts: z.string() };

/**
 * `GET /agent-monitoring/trend`: a point for each 5 minutes of 1h, hour of 24h or day, in UTC, oldest first, including
 * empty ones.
 */
export const trend = z.object({
  window,
  points: z.array(
    z.object({
      ...point,
      totalRuns: z.int(),
      healthyRuns: z.int(),
      failingRuns: z.int(),
      operationalFailingRuns: z.int(),
      scorerFailingRuns: z.int(),
      healthRate: share,
      failureRate: share,
      votes: z.int(),
      downvoteRate: share,
      toolFailureRate: share,
    }),
  ),
});

const usd = z.number().nonnegative();
const unpricedTokenShare = share.describe(
  "Tokens that no price is known for, which no cost includes, among all; null without tokens",
);

/** Numbers by name: at most 50 names, the rest together as `(other)`. */
const byName = <Value extends z.ZodType>(value: Value) => z.record(z.string(), value);

const figures = {
  spansLlm: z.int(),
  spansTool: z.int(),
  spansRetrieval: z.int(),
  spansOther: z.int(),
  traces: z.int().describe("Root spans"),
  errors: z.int().describe("Root spans with an error"),
  latencyP50: z.number().nullable().describe("Of root spans, in milliseconds; null where none has one"),
  latencyP95: z.number().nullable(),
  tokensPrompt: z.number().nonnegative().describe("Cached ones included. A call that its parent repeats counts once"),
  tokensCompletion: z.number().nonnegative(),
  costPrompt: usd.describe("USD: input that was not read from a cache, writing the cache included"),
  costCached: usd.describe("USD: input that was read from a cache"),
  costCompletion: usd,
  unpricedTokenShare,
  toolCalls: z.int(),
  toolFailures: z.int(),
  byTool: byName(z.object({ calls: z.int(), failures: z.int() })),
  byModelCost: byName(usd).describe("USD by model; models without a price are left out"),
  byFramework: byName(z.int()).describe("Root spans; `(none)` stands for those that name no framework"),
};

/** Query of the figures of spans. */
export const figuresQuery = dashboardWindowQuery.extend({
  agentId: z.string().optional().describe("Traces of this agent alone"),
});

/**
 * `GET /agent-monitoring/metrics` (completions 9.5): totals over all spans of a window, evaluation traffic included, in
 * the same intervals as the trend. A span counts in the interval of its start.
 */
export const metrics = z.object({
  window,
  buckets: z.array(z.object({ ...point, ...figures })),
  totals: z.object(figures),
});

const costs = { cost: usd, byModel: byName(usd), unpricedTokenShare };

/** `GET /agent-monitoring/cost-trend` (completions 9.5): the same intervals; USD. */
export const costTrend = z.object({
  window,
  points: z.array(z.object({ ...point, ...costs })),
  totals: z.object(costs),
});

/** `GET /agent-monitoring/performance`: the same intervals. */
export const performance = z.object({
  window,
  points: z.array(
    z.object({
      ...point,
      totalRuns: z.int(),
      errors: z.int().describe("Traces that ended in an error"),
      errorRate: share,
      latencyP50: z.number().nullable().describe("Milliseconds"),
      latencyP95: z.number().nullable(),
    }),
  ),
});

/** `GET /agent-monitoring/top-failing`: at most ten of each, most failing first. */
export const topFailing = z.object({
  window,
  agents: z.array(
    z.object({
      agentId: z.string().nullable(),
      name: z.string().nullable().describe("null: the traces name no agent, or it is gone"),
      totalRuns: z.int(),
      failingRuns: z.int(),
      operationalFailingRuns: z.int(),
      scorerFailingRuns: z.int(),
      failureRate: share,
    }),
  ),
  patterns: z
    .array(z.object({ patternKey: z.string(), kind: z.string(), count: z.int(), lastSeenAt: z.string() }))
    .describe("What was found most often: tool failures, patterns, live scorers, votes down"),
});

/**
 * `GET /agent-monitoring/calibration`: the agreement of each version of each live scorer with people, corrected for
 * chance. See docs/monitoring/agreement.md.
 */
export const calibration = z.object({
  since: z.string().describe("Votes and corrections from this time on are counted"),
  minPairs: z.int().describe("With fewer pairs nothing is estimated"),
  scorers: z.array(
    z.object({
      scorerKey: z.string(),
      scorerName: z.string(),
      scorerVersion: z.int().nullable(),
      isGroup: z.boolean(),
      pairs: z.int().describe("Traces that both it and a person judged"),
      corrected: z.int().describe("Of the pairs, those where a person corrected its score"),
      withoutThreshold: z.int().describe("Traces that people judged and it rated without a threshold: no pairs"),
      table: z.object({
        bothFail: z.int(),
        onlyScorerFails: z.int(),
        onlyPersonFails: z.int(),
        bothPass: z.int(),
      }),
      baseRate: share.describe("The share of the pairs that people found bad"),
      failRate: share.describe("The share that it failed"),
      rawAgreement: share,
      kappa: z
        .number()
        .min(-1)
        .max(1)
        .nullable()
        .describe("Cohen's; null below minPairs, or where one side never varies"),
      interval: z
        .object({ level: z.number(), low: z.number(), high: z.number() })
        .nullable()
        .describe("Of kappa; null with it"),
    }),
  ),
});
