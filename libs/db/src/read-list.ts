import {
  type Call,
  createReadTurns,
  type ListPage,
  type PartBounds,
  readListPage,
  type SizedRow,
} from "@touchstone/service-kit";
import type { Statement } from "./connections.ts";
import type { Database } from "./database.ts";

/** The requested page of a list. */
export interface ListQuery<Cursor = string> {
  /** The row to continue after; null = from the beginning. */
  cursor: Cursor | null;
  limit: number;
  /** Waits for memory if the page is large. */
  makeRoom: Call["makeRoom"];
}

/** A list whose rows may be large: how to read a part of it, and the position of a row. */
interface LargeList<Row, Cursor> {
  statement(cursor: Cursor | null, bounds: PartBounds): Statement;
  cursorOf(row: Row): Cursor;
}

/** Makes what reads the lists of a service: pages, which end early if their rows are large. Large ones of a project take turns. */
export function createReadList(service: Parameters<typeof createReadTurns>[0]) {
  const turns = createReadTurns(service);
  return function readList<Row extends SizedRow & Record<string, unknown>, Cursor>(
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
  };
}
