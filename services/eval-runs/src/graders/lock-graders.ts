import type { Database, Queryable } from "@touchstone/db";
import { announceLiveScorers } from "./live-scorers.ts";

/**
 * Changes a project's grading configs and scorer groups, one change after the other: their rules look at one another
 * (one default, no judge that requires an expected result in a live group, ids that resolve, content seeded once).
 * Whatever changed of what judges live traffic is told in the same transaction.
 */
export function lockGraders<Result>(
  database: Database,
  projectId: string,
  work: (transaction: Queryable) => Promise<Result>,
): Promise<Result> {
  return database.scoped([projectId], async (transaction) => {
    await transaction.query({
      name: "graders_lock",
      text: "select pg_advisory_xact_lock(hashtextextended('touchstone graders ' || $1, 0))",
      values: [projectId],
    });
    const result = await work(transaction);
    await announceLiveScorers(transaction, projectId);
    return result;
  });
}
