import { resultsRated } from "@touchstone/contracts";
import type { Queryable } from "@touchstone/db";
import type { StoredResult } from "./stored-result.ts";

/** Publishes the ratings of recorded traces. */
export interface RatingNews {
  /** True if these results have ratings to publish. */
  hasAny(results: readonly StoredResult[]): boolean;
  /** Writes the events, in the transaction that stores the results. */
  write(
    transaction: Queryable,
    scope: { projectId: string; runId: string },
    results: readonly StoredResult[],
  ): Promise<void>;
}

/** Writes {@link RatingNews} to the outbox; writes nothing if verdicts are not exported. */
export function createRatingNews({ isExporting }: { isExporting: boolean }): RatingNews {
  const hasAny = (results: readonly StoredResult[]): boolean =>
    isExporting && results.some(({ ratings }) => ratings.length > 0);
  return {
    hasAny,
    async write(transaction, { projectId, runId }, results) {
      if (!hasAny(results)) return;
      const ratedAt = new Date().toISOString();
      // One event per result: the results stored at once may be large.
      const bodies = results
        .filter(({ ratings }) => ratings.length > 0)
        .map(({ ratings }) => ({ results: ratings.map((rating) => ({ projectId, runId, ...rating, ratedAt })) }));
      await transaction.query({
        name: "ratings_enqueue",
        text: `
          insert into evals.outbox (subject, body)
          select $1, body
          from unnest($2::text[]) as body`,
        values: [resultsRated.subject, bodies.map((body) => JSON.stringify(resultsRated.body.parse(body)))],
      });
    },
  };
}
