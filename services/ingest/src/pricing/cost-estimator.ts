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
import { priceFinder } from "./price-catalogue.ts";
import type { PricedProject, PriceStore } from "./price-store.ts";
import { costOf } from "./token-cost.ts";
import { treeCost } from "./tree-cost.ts";

/** A larger trace has no estimate. */
const spansMax = 20_000;

/** Estimates what a trace cost by the prices of its organization (completions 11.2; otlp 6, Cost). */
export interface CostEstimator {
  /** USD; null when the price of anything it used is not known, or how much it used. */
  estimate(project: PricedProject, span: ReadSpan): Promise<number | null>;
}

export function createCostEstimator({ reading, prices }: { reading: Database; prices: PriceStore }): CostEstimator {
  async function estimateTree(project: PricedProject, traceKey: string, rowId: string): Promise<number | null> {
    const { projectId } = project;
    const keys = [{ projectId, traceKey }];
    const [changes, [spans, fragments, responseFragments]] = await Promise.all([
      prices.listChanges(project),
      reading.readScoped<[TreeRecord, FragmentRecord, FragmentRecord]>(
        [projectId],
        [buildTreeRead(keys, spansMax), buildFragmentRead(keys), buildStoredResponseFragmentRead(keys, spansMax)],
      ),
    ]);
    const tree = growTree(
      spans.rows.map(recordToTreeSpan),
      [...fragments.rows, ...responseFragments.rows].map(recordToTreeFragment),
    );
    return treeCost(tree, rowId, priceFinder(changes));
  }

  return {
    async estimate(project, span) {
      if (span.inputTokens === null && span.outputTokens === null) return null;
      if (span.traceKey !== null) return estimateTree(project, span.traceKey, span.id);
      if (span.model === null) return null;
      const price = priceFinder(await prices.listChanges(project))(span.model);
      return costOf(price, {
        input: span.inputTokens,
        output: span.outputTokens,
        cacheRead: span.cacheReadTokens,
        cacheWrite: span.cacheWriteTokens,
      });
    },
  };
}
