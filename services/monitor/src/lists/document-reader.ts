import { isUuid, limits } from "@touchstone/contracts";
import { createReadList, type Database, type ListQuery, selectPart } from "@touchstone/db";
import { AppError, type Call, type ListPage, readParameter, type SizedRow } from "@touchstone/service-kit";

const readList = createReadList("monitor");

/** A table of documents of projects, and the columns to read, of which `document` is JSON text. */
export interface DocumentTable {
  table: "patterns" | "custom_evaluators";
  columns: string;
}

/** The page of a list by id. Throws `bad_request` for a cursor that is no id; `what` names the entity. */
export function readListQuery({ query, makeRoom }: Call, what: string): ListQuery {
  const cursor = readParameter(query, "cursor");
  if (cursor !== null && !isUuid(cursor)) throw new AppError("bad_request", `cursor must be the id of ${what}`);
  return { cursor, limit: limits.listRowsMax, makeRoom };
}

/** Reads a page of a project's documents, oldest first: ids are in the order of creation. */
export function readDocuments<Row extends { id: string } & Record<string, unknown>>(
  database: Database,
  projectId: string,
  query: ListQuery,
  { table, columns }: DocumentTable,
): Promise<ListPage<Row & SizedRow>> {
  return readList<Row & SizedRow, string>(database, projectId, query, {
    cursorOf: ({ id }) => id,
    statement: (cursor, { rowsMax, bytesMax }) => ({
      name: `${table}_page`,
      text: selectPart({
        rows: `
          select *
          from monitor.${table}
          where project_id = $1
            and ($2::uuid is null or id > $2)
          order by id
          limit $3`,
        large: ["document"],
        order: "id",
        columns,
        bytesMax: "$4",
      }),
      values: [projectId, cursor, rowsMax, bytesMax],
    }),
  });
}

/** Bytes of a part of named documents, which its last one may exceed. */
const namedPartBytesMax = 1024 * 1024;

/** Reads the named documents of a project in parts of bounded size, oldest first. Missing ones are left out. */
export async function* readNamedDocuments<Row extends { id: string } & Record<string, unknown>>(
  database: Database,
  projectId: string,
  ids: readonly string[],
  { table, columns }: DocumentTable,
): AsyncGenerator<(Row & SizedRow)[], void, undefined> {
  const text = selectPart({
    rows: `
      select *
      from monitor.${table}
      where project_id = $1
        and id = any($2::uuid[])
        and ($3::uuid is null or id > $3)`,
    large: ["document"],
    order: "id",
    columns,
    bytesMax: "$4",
  });
  const readPart = async (last: string | null): Promise<(Row & SizedRow)[]> => {
    const values = [projectId, ids, last, namedPartBytesMax];
    return (await database.readScoped<Row & SizedRow>([projectId], { name: `${table}_named`, text, values })).rows;
  };
  let rows = ids.length === 0 ? [] : await readPart(null);
  for (let last = rows.at(-1); last !== undefined; last = rows.at(-1)) {
    yield rows;
    rows = (last.nextBytes ?? null) === null ? [] : await readPart(last.id);
  }
}
