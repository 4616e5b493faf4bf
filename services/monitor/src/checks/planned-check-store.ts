import type { Transaction } from "@touchstone/db";
import type { PlannedCheck } from "./check.ts";

/**
 * There is at most one check per kind, scorer, subject and round: repeated inserts change nothing. Returns the number of new
 * ones.
 */
export async function insertChecks(
  transaction: Pick<Transaction, "query">,
  planned: readonly { projectId: string; check: PlannedCheck }[],
): Promise<number> {
  const { rowCount } = await transaction.query({
    name: "checks_insert",
    text: `
      insert into monitor.checks (project_id, kind, scorer_id, subject_id, round, plan)
      select project_id, kind, scorer_id, subject_id, round, plan
      from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::integer[], $6::json[])
        as planned (project_id, kind, scorer_id, subject_id, round, plan)
      order by project_id, kind, scorer_id, subject_id, round
      on conflict (project_id, kind, scorer_id, subject_id, round) do nothing`,
    values: [
      planned.map(({ projectId }) => projectId),
      planned.map(({ check }) => check.kind),
      planned.map(({ check }) => check.scorerId),
      planned.map(({ check }) => check.subjectId),
      planned.map(({ check }) => check.round),
      planned.map(({ check }) => JSON.stringify(check.plan ?? null)),
    ],
  });
  return rowCount ?? 0;
}
