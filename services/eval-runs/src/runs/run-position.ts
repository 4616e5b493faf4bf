import { isUuid } from "@touchstone/contracts";
import { AppError, readParameter, uuidv7TimeMs } from "@touchstone/service-kit";
import type { Query } from "../queries/read-query.ts";

/** The place of a run in the list of runs, which is in the order of time. */
export interface RunPosition {
  id: string;
  /** When the run was created, if its row is gone. */
  createdAt: Date;
}

const withTime = /^(\d{1,15})\.([0-9a-f-]{36})$/;

/** The cursor of a position. Most ids begin with the time; the id of a client's experiment is a hash. */
export function writeRunCursor({ id, createdAt }: RunPosition): string {
  return beginsWithTime(id) ? id : `${createdAt.getTime()}.${id}`;
}

/** The position after which the list continues; null: the beginning. Throws `bad_request` for a malformed cursor. */
export function readRunCursor(query: Query): RunPosition | null {
  const cursor = readParameter(query, "cursor");
  if (cursor === null) return null;
  const [, time = null, id = cursor] = withTime.exec(cursor) ?? [];
  if (!isUuid(id)) throw new AppError("bad_request", "cursor must be the id of a run");
  const timeMs = time === null && beginsWithTime(id) ? uuidv7TimeMs(id) : Number(time);
  return { id, createdAt: new Date(timeMs) };
}

const beginsWithTime = (id: string): boolean => id[14] === "7";
