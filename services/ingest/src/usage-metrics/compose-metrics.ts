import { type DashboardWindow, type FindPrice, listStretches, type metrics } from "@touchstone/contracts";
import type { z } from "zod";
import { addNamed, composeCosts, greatestNames, others, type PricedUse, priceUses } from "./compose-costs.ts";
import { noUsageMetrics, type UsageMetrics } from "./metrics-store.ts";

type Metrics = z.input<typeof metrics>;
type MetricsFigures = Metrics["totals"];

const unnamedFramework = "(none)";

/** The metrics of spans by bucket of a window and in total (completions 9.5). */
export function composeMetrics(
  window: DashboardWindow,
  now: number,
  metrics: UsageMetrics,
  findPrice: FindPrice,
): Metrics {
  const uses = priceUses(metrics.tokens, findPrice);
  const models = greatestNames(uses.map(({ model, cost }) => ({ name: model, amount: cost?.whole ?? 0 })));
  const compose = (start: number | null): MetricsFigures => {
    const isIn = (each: { start: Date | null }): boolean => start === null || each.start?.getTime() === start;
    return composeFigures(
      {
        ...noUsageMetrics,
        counts: metrics.counts.filter(isIn),
        frameworks: metrics.frameworks.filter(isIn),
        tools: metrics.tools.filter(isIn),
        latencies: metrics.latencies.filter((latency) => (latency.start?.getTime() ?? null) === start),
      },
      uses.filter(isIn),
      models,
    );
  };
  return {
    window,
    buckets: listStretches(window, now).map(({ start, label, ts }) => ({ label, ts, ...compose(start) })),
    totals: compose(null),
  };
}

function composeFigures(
  { counts, frameworks, tools, latencies: [latency] }: UsageMetrics,
  uses: readonly PricedUse[],
  models: ReadonlySet<string>,
): MetricsFigures {
  const spansOf = (kind: string): number =>
    sum(counts.filter((count) => count.kind === kind).map(({ spans }) => spans));
  const byFramework = new Map<string, number>();
  for (const { framework, isListed, roots } of frameworks) {
    addNamed(byFramework, isListed ? (framework ?? unnamedFramework) : others, roots);
  }
  const costs = uses.map(({ cost }) => cost).filter((cost) => cost !== null);
  const { byModel, unpricedTokenShare } = composeCosts(uses, models);
  return {
    spansLlm: spansOf("llm"),
    spansTool: spansOf("tool"),
    spansRetrieval: spansOf("retrieval"),
    spansOther: spansOf("other"),
    traces: sum(counts.map(({ roots }) => roots)),
    errors: sum(counts.map(({ errors }) => errors)),
    latencyP50: latency?.p50 ?? null,
    latencyP95: latency?.p95 ?? null,
    tokensPrompt: sum(uses.map(({ input }) => input)),
    tokensCompletion: sum(uses.map(({ output }) => output)),
    costPrompt: notBelowZero(sum(costs.map(({ prompt }) => prompt))),
    costCached: notBelowZero(sum(costs.map(({ cached }) => cached))),
    costCompletion: notBelowZero(sum(costs.map(({ completion }) => completion))),
    unpricedTokenShare,
    toolCalls: sum(tools.map(({ calls }) => calls)),
    toolFailures: sum(tools.map(({ failures }) => failures)),
    byTool: composeTools(tools),
    byModelCost: byModel,
    byFramework: Object.fromEntries(byFramework),
  };
}

function composeTools(tools: UsageMetrics["tools"]): MetricsFigures["byTool"] {
  const calls = new Map<string, number>();
  const failures = new Map<string, number>();
  for (const use of tools) {
    addNamed(calls, use.name ?? others, use.calls);
    addNamed(failures, use.name ?? others, use.failures);
  }
  return Object.fromEntries(
    [...calls]
      .filter(([, count]) => count > 0)
      .sort(([, one], [, other]) => other - one)
      .map(([name, count]) => [name, { calls: count, failures: failures.get(name) ?? 0 }]),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Subtraction may leave a rounding error. */
function notBelowZero(amount: number): number {
  return Math.max(amount, 0);
}
