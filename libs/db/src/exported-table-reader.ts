/** One member of an exported row, as JSON text. */
export type MemberText = readonly [name: string, valueText: string];

/** The source of a row: columns as PostgreSQL returns them. Free JSON is its stored text. */
export type Columns = Readonly<Record<string, unknown>>;

/** How one table is exported: SQL that reads it within project $1, and the shape of its rows (completions 13). */
export interface ExportedTable {
  /** The columns of a row; `id` is its name in the export and the cursor to the next one. */
  columns: string;
  source: string;
  /** The order, and the rows after the cursor $2, both along an index. */
  order: string;
  after: string;
  firstCursor: string;
  /** The column `since` is compared with. */
  time: string;
  /** The approximate number of bytes of a row's text. */
  size: string;
  members(row: Columns): readonly MemberText[];
  /** A JSON object whose members are in the row beside the others. */
  document?(row: Columns): string;
}

/** The prefix of every id. */
export const firstId = "00000000-0000-0000-0000-000000000000";

/** A table with an id column, read in its order. */
export function exportById(
  schema: string,
  table: string,
): Pick<ExportedTable, "source" | "order" | "after" | "firstCursor" | "time"> {
  return {
    source: `
      ${schema}.${table}
      where ${table}.project_id = $1`,
    order: `${table}.id`,
    after: `${table}.id > $2::uuid`,
    firstCursor: firstId,
    time: `${table}.created_at`,
  };
}

const json = (value: unknown): string => JSON.stringify(value ?? null);

/** How columns become members of an exported row. */
export const exportedMembers = {
  json,
  /** A column of type json, as its stored text. */
  jsonText: (text: unknown): string => (text as string | null) ?? "null",
  createdAt: (row: Columns): MemberText => ["createdAt", json(row.created_at)],
  updatedAt: (row: Columns): MemberText => ["updatedAt", json(row.updated_at)],
};
