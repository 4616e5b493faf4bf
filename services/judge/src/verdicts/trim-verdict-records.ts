import { type Database, type Trimming, trimRegularly } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";

/** Deletes records of verdicts that are older than so many days. */
export function trimVerdictRecords(options: { maintenance: Database; logger: Logger; keptDays: number }): Trimming {
  const { keptDays, ...rest } = options;
  return trimRegularly({
    ...rest,
    statement: (rowsAtOnce) => ({
      name: "verdict_records_trim",
      text: `
        delete from judge.verdict_records
        where (project_id, id) in (
          select project_id, id
          from judge.verdict_records
          where created_at < now() - $1 * interval '1 day'
          order by created_at
          limit $2)`,
      values: [keptDays, rowsAtOnce],
    }),
  });
}
