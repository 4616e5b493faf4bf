import { type PartBounds, readListPage, type SizedRow } from "@touchstone/service-kit";
import type { Database } from "./database.ts";
import type { ExportedTable } from "./exported-table-reader.ts";

/** One row of an export. */
export interface ExportedRow {
  /** Its position in the order. */
  cursor: string;
  /** A JSON object, in texts that follow one another: joining long ones would copy them. */
  texts: string[];
  /** Rows of its page. */
  pageRows: number;
}

export interface ExportQuery {
  projectId: string;
  /** Epoch milliseconds; null = all. */
  sinceMs: number | null;
}

type StoredRow = SizedRow & Record<string, unknown> & { id: string };

/** Reads exported rows, each page in a separate short transaction. */
export interface ExportStore<Entity extends string> {
  /** The next rows after the last one, or the first ones; empty at the end. */
  readPage(entity: Entity, query: ExportQuery, last: ExportedRow | null): Promise<ExportedRow[]>;
  count(entity: Entity, query: ExportQuery): Promise<number>;
}

/** A page of large rows ends earlier, because it is held until its reader has read it. It has at least one row. */
const pageBytesMax = 8 * 1024 * 1024;

/** Rows of the first part, when nothing is known of their size. */
const firstRows = 10;

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
    async readPage(entity, { projectId, sinceMs }, previous) {
      const table = tables[entity];
      const following = `
        from ${table.source}
          and ${table.after}
          and ($3::float8 is null or ${table.time} >= to_timestamp($3 / 1000))
        order by ${table.order}`;
      const readPart = async (last: StoredRow | null, { rowsMax, bytesMax }: PartBounds): Promise<StoredRow[]> => {
        const { rows } = await database.readScoped<StoredRow>([projectId], {
          name: `export_${entity.replaceAll("-", "_")}`,
          // Large values are only measured until they are known to be on the page.
          text: `
            select ${table.columns}, (${table.size})::integer as bytes
            ${following}
            limit (
              select count(*)
              from (
                select sum(bytes) over (order by place rows unbounded preceding) - bytes as bytes_before
                from (
                  select row_number() over (order by ${table.order}) as place, ${table.size} as bytes
                  ${following}
                  limit $4
                ) measured
              ) sized
              where bytes_before < $5
            )`,
          values: [projectId, last?.id ?? previous?.cursor ?? table.firstCursor, sinceMs, rowsMax, bytesMax],
        });
        // Where another row like this one would not fit, none is read: the next page tells whether one follows.
        return rows.map((row) => ({ ...row, nextBytes: row.bytes }));
      };
      const { rows } = await readListPage(readPart, {
        rowsMax: pageRows,
        bytesMax: pageBytesMax,
        // Values of unknown size are decompressed to be measured: only as many as may fit.
        firstRows: previous === null ? firstRows : 2 * previous.pageRows,
      });
      return rows.map((row) => ({
        cursor: row.id,
        texts: renderRow(table, projectId, row),
        pageRows: rows.length,
      }));
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

function renderRow(table: ExportedTable, projectId: string, row: Record<string, unknown>): string[] {
  const members = [
    ["id", JSON.stringify(row.id)] as const,
    ["projectId", JSON.stringify(projectId)] as const,
    ...table.members(row),
  ].map(([name, valueText]) => `${JSON.stringify(name)}:${valueText}`);
  const document = table.document?.(row).trim().slice(1, -1).trim() ?? "";
  return [`{${members.join(",")}${document === "" ? "" : ","}`, document, "}"];
}
