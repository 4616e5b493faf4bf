import {
  type Columns,
  type ExportedTable,
  exportById,
  exportedMembers,
  firstId,
  type MemberText,
} from "@touchstone/db";

export const { json, jsonText, createdAt, updatedAt } = exportedMembers;

/** A table of this service with an id column, read in the order of ids. */
export const byId = (table: string) => exportById("evals", table);

/** A table of versions; a version's id combines its owner's id and its number. */
export function versionsOf(
  { table, ownerColumn, ownerName }: { table: string; ownerColumn: string; ownerName: string },
  own: {
    columns: string;
    size: string;
    members?(row: Columns): readonly MemberText[];
    document?(row: Columns): string;
  },
): ExportedTable {
  return {
    columns: `
      versions.${ownerColumn} || ':' || versions.version as id, versions.${ownerColumn}, versions.version,
      versions.created_at, ${own.columns}`,
    source: `
      evals.${table} as versions
      where versions.project_id = $1`,
    order: `versions.${ownerColumn}, versions.version`,
    after: `(versions.${ownerColumn}, versions.version)
      > (split_part($2::text, ':', 1)::uuid, split_part($2::text, ':', 2)::integer)`,
    firstCursor: `${firstId}:0`,
    time: "versions.created_at",
    size: own.size,
    members: (row) => [
      [ownerName, json(row[ownerColumn])],
      ["version", json(row.version)],
      ...(own.members?.(row) ?? []),
      createdAt(row),
    ],
    ...(own.document && { document: own.document }),
  };
}
