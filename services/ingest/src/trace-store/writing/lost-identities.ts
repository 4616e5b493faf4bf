import type { Database } from "@touchstone/db";
import type { ProjectRow } from "../../model/span-row.ts";

/**
 * Removes identities of these rows whose span was removed: retention drops spans by the week and their identities
 * later. In between, a span sent again would find its identity used and no row to answer with. A key and its span are
 * committed together, so a key without a span has lost it.
 */
export async function forgetLostIdentities(database: Database, rows: readonly ProjectRow[]): Promise<void> {
  if (rows.length === 0) return;
  await database.scoped([...new Set(rows.map(({ projectId }) => projectId))], (transaction) =>
    transaction.query({
      name: "span_keys_forget_lost",
      text: `
        delete from ingest.span_keys keys
        using unnest($1::uuid[], $2::uuid[]) as wanted (project_id, dk)
        where keys.project_id = wanted.project_id and keys.dk = wanted.dk
          and not exists (select from ingest.spans where spans.project_id = keys.project_id and spans.id = keys.id)`,
      values: [rows.map(({ projectId }) => projectId), rows.map(({ row }) => row.dk)],
    }),
  );
}
