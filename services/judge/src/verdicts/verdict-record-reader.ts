import type { VerdictRecord } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import type { NewVerdictRecord } from "./verdict-record.ts";

/** Reads records of verdicts; null = the project has none of this id, or not any more. */
export type ReadVerdictRecord = (projectId: string, id: string) => Promise<VerdictRecord | null>;

export function createVerdictRecordReader(database: Database): ReadVerdictRecord {
  return async (projectId, id) => {
    const { rows } = await database.readScoped<{ created_at: Date; document: NewVerdictRecord }>([projectId], {
      name: "verdict_record_read",
      text: `
        select created_at, document
        from judge.verdict_records
        where project_id = $1
          and id = $2`,
      values: [projectId, id],
    });
    const [row] = rows;
    return row === undefined ? null : { ...row.document, id, createdAt: row.created_at.toISOString() };
  };
}
