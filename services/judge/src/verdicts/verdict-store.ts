import type { VerdictRecord } from "@touchstone/contracts";
import type { Database, Statement } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { type RegularSweep, trimRegularly } from "@touchstone/store-service";
import type { ParsedVerdict } from "./parse-verdict.ts";
import type { NewVerdictRecord } from "./verdict-record.ts";

/** A verdict to store, with its record. */
export interface KeptVerdict {
  projectId: string;
  /** The scope in which a rating is found again: an organization, or the project without organizations. */
  owner: string;
  address: Buffer;
  /** Null: it was skipped. Then only its record is stored. */
  answer: ParsedVerdict | null;
  record: NewVerdictRecord | null;
}

/** A stored rating. */
export interface FoundVerdict extends ParsedVerdict {
  /** The id of its record, if this project still has it. */
  verdictId: string | null;
}

/** Ratings, which are never changed or removed automatically, and their records, which are kept for some days. */
export interface VerdictStore {
  find(owner: string, address: Buffer, projectId: string): Promise<FoundVerdict | null>;
  /**
   * Stores each rating whose address is free, the first of two at one address, and every record; skips deleted projects.
   */
  keep(verdicts: readonly KeptVerdict[]): Promise<void>;
}

export function createVerdictStore(database: Database): VerdictStore {
  return {
    async find(owner, address, projectId) {
      const { rows } = await database.readScoped<{ rating: number; justification: string; record_id: string | null }>(
        [owner, projectId],
        {
          name: "verdict_find",
          text: `
            select rating, justification, verdict_records.id as record_id
            from judge.verdicts
            left join judge.verdict_records
              on verdict_records.project_id = $3
              and verdict_records.id = verdicts.record_id
            where owner_id = $1
              and address = $2`,
          values: [owner, address, projectId],
        },
      );
      const [row] = rows;
      return row === undefined
        ? null
        : { rating: row.rating, justification: row.justification, verdictId: row.record_id };
    },

    async keep(verdicts) {
      const scope = new Set(verdicts.flatMap(({ owner, projectId }) => [owner, projectId]));
      await database.scoped([...scope], (transaction) =>
        transaction.finish([keepRecords(verdicts), keepRatings(verdicts)]),
      );
    },
  };
}

function keepRatings(verdicts: readonly KeptVerdict[]): Statement {
  const rated = verdicts.flatMap(({ answer, ...rest }) => (answer === null ? [] : [{ ...answer, ...rest }]));
  return {
    name: "verdicts_keep",
    // In the order of the key, so that judges that store the same verdicts cannot deadlock.
    text: `
      insert into judge.verdicts (owner_id, address, rating, justification, record_id)
      select owner_id, address, rating, justification, record_id
      from unnest($1::uuid[], $2::bytea[], $3::float8[], $4::text[], $5::uuid[])
        as kept (owner_id, address, rating, justification, record_id)
      where not exists (
        select from judge.deleted_projects where deleted_projects.project_id = kept.owner_id
      )
      order by owner_id, address
      on conflict do nothing`,
    values: [
      rated.map(({ owner }) => owner),
      rated.map(({ address }) => address),
      rated.map(({ rating }) => rating),
      rated.map(({ justification }) => justification),
      rated.map(({ record }) => record?.id ?? null),
    ],
  };
}

function keepRecords(verdicts: readonly KeptVerdict[]): Statement {
  const recorded = verdicts.flatMap(({ projectId, record }) => (record === null ? [] : [{ projectId, record }]));
  return {
    name: "verdict_records_keep",
    text: `
      insert into judge.verdict_records (project_id, id, document)
      select project_id, id, document
      from unnest($1::uuid[], $2::uuid[], $3::json[]) as kept (project_id, id, document)
      where not exists (
        select from judge.deleted_projects where deleted_projects.project_id = kept.project_id
      )`,
    values: [
      recorded.map(({ projectId }) => projectId),
      recorded.map(({ record }) => record.id),
      recorded.map(({ record: { id: _id, ...document } }) => JSON.stringify(document)),
    ],
  };
}

/** Reads records of verdicts; null = the project has no record with this id, or no longer. */
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

/** Deletes records of verdicts that are older than this number of days. */
export function trimVerdictRecords(options: { maintenance: Database; logger: Logger; keptDays: number }): RegularSweep {
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
