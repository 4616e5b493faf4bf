import { limits } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import { objectText } from "../json/json-text.ts";
import { type ExportedTable, exportedTables } from "./exported-tables.ts";

export type ExportedEntity = keyof typeof exportedTables;

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
export interface ExportStore {
  /** The next rows after a cursor, or the first ones; empty at the end. */
  readPage(entity: ExportedEntity, query: ExportQuery, cursor: string | null): Promise<ExportedRow[]>;
  count(entity: ExportedEntity, query: ExportQuery): Promise<number>;
}

/** A page of large rows ends earlier, since it is held as long as its reader takes. One row always goes. */
const pageBytesMax = 8 * 1024 * 1024;

export function createExportStore(database: Database): ExportStore {
  return {
    async readPage(entity, { projectId, sinceMs }, cursor) {
      const table: ExportedTable = exportedTables[entity];
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
            limit ${limits.exportPageRows}
          ) page
          where bytes_before < ${pageBytesMax}
          order by place`,
        values: [projectId, cursor ?? table.firstCursor, sinceMs],
      });
      return rows.map((row) => ({ cursor: row.id as string, text: renderRow(table, projectId, row) }));
    },

    async count(entity, { projectId, sinceMs }) {
      const table: ExportedTable = exportedTables[entity];
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
  ];
  const text = objectText(members.map(([name, valueText]) => ({ name, valueText })));
  const document = table.document?.(row).trim().slice(1, -1).trim() ?? "";
  return document === "" ? text : `${text.slice(0, -1)},${document}}`;
}
