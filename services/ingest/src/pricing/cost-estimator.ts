import type { Database } from "@touchstone/db";
import type { ReadSpan } from "../spans/trace-store.ts";
import {
  buildFragmentRead,
  buildStoredResponseFragmentRead,
  buildTreeRead,
  type FragmentRecord,
  recordToTreeFragment,
  recordToTreeSpan,
  type TreeRecord,
} from "../trees/trace-read.ts";
import { growTree } from "../trees/tree.ts";
import { catalogueOf, priceOf } from "./price-catalogue.ts";
import type { PriceStore } from "./price-store.ts";
import { costOf } from "./token-cost.ts";
import { treeCost } from "./tree-cost.ts";

/** A larger trace has no estimate. */
const spansMax = 20_000;

/** Estimates what a trace cost by the prices of its project (completions 11.2; otlp 6, Cost). */
export interface CostEstimator {
  /** USD; null when the price of anything it used is not known, or how much it used. */
  estimate(projectId: string, span: ReadSpan): Promise<number | null>;
}

export function createCostEstimator({ reading, prices }: { reading: Database; prices: PriceStore }): CostEstimator {
  async function estimateTree(projectId: string, traceKey: string, rowId: string): Promise<number | null> {
    const keys = [{ projectId, traceKey }];
    const [changes, [spans, fragments, responseFragments]] = await Promise.all([
      prices.listChanges(projectId),
      reading.readScoped<[TreeRecord, FragmentRecord, FragmentRecord]>(
        [projectId],
        [buildTreeRead(keys, spansMax), buildFragmentRead(keys), buildStoredResponseFragmentRead(keys, spansMax)],
      ),
    ]);
    const catalogue = catalogueOf(changes);
    const tree = growTree(
      spans.rows.map(recordToTreeSpan),
      [...fragments.rows, ...responseFragments.rows].map(recordToTreeFragment),
    );
    return treeCost(tree, rowId, (model) => priceOf(catalogue, model));
  }

  return {
    async estimate(projectId, span) {
      if (span.inputTokens === null && span.outputTokens === null) return null;
      if (span.traceKey !== null) return estimateTree(projectId, span.traceKey, span.id);
      if (span.model === null) return null;
      const price = priceOf(catalogueOf(await prices.listChanges(projectId)), span.model);
      return costOf(price, {
        input: span.inputTokens,
        output: span.outputTokens,
        cacheRead: span.cacheReadTokens,
        cacheWrite: span.cacheWriteTokens,
      });
    },
  };
}
