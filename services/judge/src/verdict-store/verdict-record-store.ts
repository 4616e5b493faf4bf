import type { Database } from "@touchstone/db";
import type { ParsedVerdict } from "../verdict/parse-verdict.ts";

/** A scored verdict and where it is kept. `owner` is an organization, or a project where there are none. */
export interface KeptVerdict extends ParsedVerdict {
  owner: string;
  address: Buffer;
}

/** The record of scored verdicts. Nothing in it changes, and nothing is removed by itself. */
export interface VerdictRecordStore {
  find(owner: string, address: Buffer): Promise<ParsedVerdict | null>;
  /** Keeps each verdict whose address is free, but for deleted projects'. Of two at one address the first stays. */
  keep(verdicts: readonly KeptVerdict[]): Promise<void>;
}

export function createVerdictRecordStore(database: Database): VerdictRecordStore {
  return {
    async find(owner, address) {
      const { rows } = await database.readScoped<{ rating: number; justification: string }>([owner], {
        name: "verdict_find",
        text: `
          select rating, justification
          from judge.verdicts
          where owner_id = $1 and address = $2`,
        values: [owner, address],
      });
      return rows[0] ?? null;
    },

    async keep(verdicts) {
      const owners = [...new Set(verdicts.map(({ owner }) => owner))];
      await database.scoped(owners, (transaction) =>
        transaction.finish([
          {
            name: "verdicts_keep",
            // In the order of the key: judges that keep the same verdicts wait for each other and never in a circle.
            text: `
              insert into judge.verdicts (owner_id, address, rating, justification)
              select owner_id, address, rating, justification
              from unnest($1::uuid[], $2::bytea[], $3::float8[], $4::text[]) as kept (owner_id, address, rating, justification)
              where not exists (
                select from judge.deleted_projects where deleted_projects.project_id = kept.owner_id
              )
              order by owner_id, address
              on conflict do nothing`,
            values: [
              verdicts.map(({ owner }) => owner),
              verdicts.map(({ address }) => address),
              verdicts.map(({ rating }) => rating),
              verdicts.map(({ justification }) => justification),
            ],
          },
        ]),
      );
    },
  };
}
