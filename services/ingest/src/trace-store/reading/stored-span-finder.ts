import type { Database } from "@touchstone/db";
import type { SpanRow } from "../../model/span-row.ts";

/** Finds what is stored about rows to be written: `dk` by id, null for a row without an identity, and the known identities. */
export function createStoredSpanFinder(database: Database) {
  return async (projectId: string, rows: readonly SpanRow[]) => {
    const ids = rows.map(({ id }) => id);
    const identities = rows.flatMap(({ dk }) => dk ?? []);
    const [byId, byIdentity] = await database.readScoped<[{ id: string; dk: string | null }, { dk: string }]>(
      [projectId],
      [
        {
          // One by one, so that each id is looked up only in its own partition.
          name: "spans_find_ids",
          text: `
            select wanted.id, found.dk
            from unnest($2::uuid[]) as wanted (id)
            cross join lateral (
              select dk
              from ingest.spans
              where project_id = $1 and id = wanted.id
              limit 1
            ) found`,
          values: [projectId, ids],
        },
        {
          name: "span_keys_find_taken",
          text: `
            select dk
            from ingest.span_keys
            where project_id = $1 and dk = any($2::uuid[])`,
          values: [projectId, identities],
        },
      ],
    );
    return {
      identityById: new Map(byId.rows.map(({ id, dk }) => [id, dk])),
      identities: new Set(byIdentity.rows.map(({ dk }) => dk)),
    };
  };
}
