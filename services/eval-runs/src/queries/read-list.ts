import type { Database, Statement } from "@touchstone/db";
import {
  type Call,
  createReadTurns,
  type ListPage,
  type PartBounds,
  readListPage,
  type SizedRow,
} from "@touchstone/service-kit";

/** Which page of a list is wanted. */
export interface ListQuery<Cursor = string> {
  /** The row to continue after; null = from the beginning. */
  cursor: Cursor | null;
  limit: number;
  /** Waits for room where the page is large. */
  makeRoom: Call["makeRoom"];
}

/** A list whose rows may be large: how a part of it is read, and where a row stands in it. */
export interface LargeList<Row, Cursor> {
  statement(cursor: Cursor | null, bounds: PartBounds): Statement;
  cursorOf(row: Row): Cursor;
}

/** Of lists, in this process. */
const turns = createReadTurns("eval-runs");

/** Reads a page of a list, which ends early where its rows are large. */
export function readList<Row extends SizedRow & Record<string, unknown>, Cursor>(
  database: Database,
  projectId: string,
  { cursor, limit, makeRoom }: ListQuery<Cursor>,
  list: LargeList<Row, Cursor>,
): Promise<ListPage<Row>> {
  const readPart = async (last: Row | null, bounds: PartBounds): Promise<readonly Row[]> => {
    const statement = list.statement(last === null ? cursor : list.cursorOf(last), bounds);
    return (await database.readScoped<Row>([projectId], statement)).rows;
  };
  return turns.run(projectId, () => readListPage(readPart, { rowsMax: limit, makeRoom }));
}
