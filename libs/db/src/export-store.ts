import type { Database } from "./database.ts";
import type { ExportedTable } from "./exported-table.ts";

/** One row of an export. */
export interface ExportedRow {
  /** Where it stands in the order. */
  cursor: string;
  /** A JSON object. */
  text: string;
}

export interface ExportQuery {
  projectId: string;
  /** Epoch milliseconds; null = all. */
  sinceMs: number | null;
}

/** Reads what is exported, each page in a short transaction of its own. */
export interface ExportStore<Entity extends string> {
  /** The next rows after a cursor, or the first ones; empty at the end. */
  readPage(entity: Entity, query: ExportQuery, cursor: string | null): Promise<ExportedRow[]>;
  count(entity: Entity, query: ExportQuery): Promise<number>;
}

/** A page of large rows ends earlier, since it is held as long as its reader takes. One row always goes. */
const pageBytesMax = 8 * 1024 * 1024;

/** Reads the tables of one service, by the name of the entity; a page has at most `pageRows` rows. */
export function createExportStore<Entity extends string>({
  database,
  tables,
  pageRows,
}: {
  database: Database;
  tables: Readonly<Record<Entity, ExportedTable>>;
  pageRows: number;
}): ExportStore<Entity> {
  return {
    async readPage(entity, { projectId, sinceMs }, cursor) {
      const table = tables[entity];
      const { rows } = await database.readScoped<Record<string, unknown>>([projectId], {
        name: `export_${entity.replaceAll("-", "_")}`,
        text: `
          select *
          from (
            select
              ${table.columns}, row_number() over ordered as place,
              sum(${table.size}) over ordered - (${table.size}) as bytes_before
            from ${table.source}
              and ${table.after}
              and ($3::float8 is null or ${table.time} >= to_timestamp($3 / 1000))
            window ordered as (order by ${table.order} rows unbounded preceding)
            order by ${table.order}
            limit ${pageRows}
          ) page
          where bytes_before < ${pageBytesMax}
          order by place`,
        values: [projectId, cursor ?? table.firstCursor, sinceMs],
      });
      return rows.map((row) => ({ cursor: row.id as string, text: renderRow(table, projectId, row) }));
    },

    async count(entity, { projectId, sinceMs }) {
      const table = tables[entity];
      const { rows } = await database.readScoped<{ rows: string }>([projectId], {
        name: `export_count_${entity.replaceAll("-", "_")}`,
        text: `
          select count(*) as rows
          from ${table.source}
            and ($2::float8 is null or ${table.time} >= to_timestamp($2 / 1000))`,
        values: [projectId, sinceMs],
      });
      return Number(rows[0]?.rows ?? 0);
    },
  };
}

function renderRow(table: ExportedTable, projectId: string, row: Record<string, unknown>): string {
  const members = [
    ["id", JSON.stringify(row.id)] as const,
    ["projectId", JSON.stringify(projectId)] as const,
    ...table.members(row),
  ].map(([name, valueText]) => `${JSON.stringify(name)}:${valueText}`);
  const document = table.document?.(row).trim().slice(1, -1).trim() ?? "";
  return `{${[...members, ...(document === "" ? [] : [document])].join(",")}}`;
}
