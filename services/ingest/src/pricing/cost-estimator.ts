import { costOf, type FindPrice, priceFinder } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import { type FragmentRecord, recordToTreeSpan, type TreeRecord } from "../assembly/stored-trace.ts";
import { growTree, type Tree } from "../assembly/tree.ts";
import type { ReadSpan } from "../model/read-span.ts";
import { readFactsApart } from "../trace-store/writing/long-facts.ts";
import {
  buildFragmentRead,
  buildSizesRead,
  buildStoredResponseFragmentRead,
  buildTreeRead,
} from "../trace-store/writing/trace-read.ts";
import type { PricedProject, PriceStore } from "./price-store.ts";
import { billedOutput, treeCost } from "./tree-cost.ts";

/** A trace with more spans, or more log records, has no estimate. */
const spansMax = 20_000;
/** Spans read to price one page of a list. */
const pageSpansMax = 20_000;

/** The figures of a trace in a list, besides its root. */
export interface ListFigures {
  /** As {@link CostEstimator.estimate}; null also if the trace's spans exceed the limit of the page. */
  costUSD: number | null;
  /** Of an OpenTelemetry trace; null for others. */
  spanCount: number | null;
}

/** Estimates the cost of a trace at the prices of its organization (completions 11.2; otlp 6, Cost). */
export interface CostEstimator {
  /** USD; null if a price or a token count is unknown. */
  estimate(project: PricedProject, span: ReadSpan): Promise<number | null>;
  /** The same for a page of roots, in few statements, with the size of each trace; in the order of the roots. */
  estimatePage(project: PricedProject, roots: readonly ReadSpan[]): Promise<ListFigures[]>;
}

export function createCostEstimator({ reading, prices }: { reading: Database; prices: PriceStore }): CostEstimator {
  /** Traces by their key; those with more than `spansMax` spans or log records are missing or empty. */
  async function readTrees(projectId: string, traceKeys: readonly string[]): Promise<(traceKey: string) => Tree> {
    const keys = traceKeys.map((traceKey) => ({ projectId, traceKey }));
    const [spans, fragments, responseFragments] = await reading.readScoped<
      [TreeRecord, FragmentRecord, FragmentRecord & { of_trace: string }]
    >(
      [projectId],
      [
        buildTreeRead(keys, spansMax),
        buildFragmentRead(keys, spansMax),
        buildStoredResponseFragmentRead(keys, spansMax),
      ],
    );
    const spansOf = Map.groupBy(spans.rows, (row) => row.trace_key);
    const fragmentsOf = Map.groupBy(fragments.rows, (row) => row.trace_key);
    // These records name no trace, only the response id of one of its spans.
    const responsesOf = Map.groupBy(responseFragments.rows, (row) => row.of_trace);
    const said = new Map(
      traceKeys.map((key) => [key, [...(fragmentsOf.get(key) ?? []), ...(responsesOf.get(key) ?? [])]]),
    );
    const read = [...said.values()].filter((own) => own.length <= spansMax);
    const toFragment = await readFactsApart((statement) => reading.readScoped([projectId], statement), read.flat());
    return (traceKey) => {
      const own = said.get(traceKey) ?? [];
      if (own.length > spansMax) return growTree([], []);
      return growTree((spansOf.get(traceKey) ?? []).map(recordToTreeSpan), own.map(toFragment));
    };
  }

  async function estimateTree(project: PricedProject, traceKey: string, rowId: string): Promise<number | null> {
    const [changes, treeOf] = await Promise.all([
      prices.listChanges(project),
      readTrees(project.projectId, [traceKey]),
    ]);
    return treeCost(treeOf(traceKey), rowId, priceFinder(changes));
  }

  async function readSpanCounts(projectId: string, traceKeys: readonly string[]): Promise<Map<string, number>> {
    if (traceKeys.length === 0) return new Map();
    const { rows } = await reading.readScoped<{ trace_key: string; span_count: number }>(
      [projectId],
      buildSizesRead(projectId, traceKeys),
    );
    return new Map(rows.map((row) => [row.trace_key, row.span_count]));
  }

  /** Prices the span by its own tokens: a REST span does not include the spans below it. */
  function estimateAlone(span: ReadSpan, findPrice: FindPrice): number | null {
    if (span.model === null) return null;
    return costOf(findPrice(span.model), {
      input: span.inputTokens,
      output: billedOutput(span.kind, span.outputTokens),
      cacheRead: span.cacheReadTokens,
      cacheWrite: span.cacheWriteTokens,
    });
  }

  return {
    async estimate(project, span) {
      if (span.inputTokens === null && span.outputTokens === null) return null;
      if (span.traceKey !== null) return estimateTree(project, span.traceKey, span.id);
      if (span.model === null) return null;
      return estimateAlone(span, priceFinder(await prices.listChanges(project)));
    },
    async estimatePage(project, roots) {
      const { projectId } = project;
      const keys = [...new Set(roots.flatMap(({ traceKey }) => traceKey ?? []))];
      const [changes, counts] = await Promise.all([prices.listChanges(project), readSpanCounts(projectId, keys)]);
      const findPrice = priceFinder(changes);
      const used = new Set(roots.filter(hasTokens).flatMap(({ traceKey }) => traceKey ?? []));
      const priced = keysWithin(pageSpansMax, new Map([...counts].filter(([key]) => used.has(key))));
      const treeOf = priced.size === 0 ? null : await readTrees(projectId, [...priced]);
      return roots.map((root) => {
        const { traceKey } = root;
        const spanCount = traceKey === null ? null : (counts.get(traceKey) ?? null);
        if (!hasTokens(root)) return { costUSD: null, spanCount };
        if (traceKey === null) return { costUSD: estimateAlone(root, findPrice), spanCount };
        const isPriced = treeOf !== null && priced.has(traceKey);
        return { costUSD: isPriced ? treeCost(treeOf(traceKey), root.id, findPrice) : null, spanCount };
      });
    },
  };
}

function hasTokens({ inputTokens, outputTokens }: ReadSpan): boolean {
  return inputTokens !== null || outputTokens !== null;
}

/** The smallest traces with no more than `total` spans together. */
function keysWithin(total: number, counts: ReadonlyMap<string, number>): ReadonlySet<string> {
  const keys = new Set<string>();
  let left = total;
  for (const [key, count] of [...counts].sort(([, one], [, other]) => one - other)) {
    left -= count;
    if (left < 0) break;
    keys.add(key);
  }
  return keys;
}
