import { limits } from "@touchstone/contracts";
import { createReadList, type ListQuery } from "@touchstone/db";
import { AppError, type Call, type ListPage, readLimit, readParameter } from "@touchstone/service-kit";
import { readCursor } from "./read-query.ts";

/** Reads the lists of this service. */
export const readList = createReadList("eval-runs");

/**
 * The page of a list by id. Throws `bad_request` for an invalid limit or cursor; `what` is the entity whose id the cursor must
 * be.
 */
export function readListQuery(call: Call, what: string): ListQuery {
  return { ...readBounds(call), cursor: readCursor(call.query, what) };
}

/** The page of a list by name. */
export function readNameListQuery(call: Call): ListQuery {
  // A name contains no NUL, and PostgreSQL rejects NUL.
  return { ...readBounds(call), cursor: readParameter(call.query, "cursor")?.replaceAll("\0", "") ?? null };
}

/** The page of a list of versions, newest first. */
export function readVersionListQuery(call: Call): ListQuery<number> {
  const cursor = readParameter(call.query, "cursor");
  if (cursor !== null && !/^\d{1,9}$/.test(cursor)) {
    throw new AppError("bad_request", "cursor must be the number of a version");
  }
  const limit = readLimit(call.query, { byDefault: limits.versionsListedMax, max: limits.versionsListedMax });
  return { limit, cursor: cursor === null ? null : Number(cursor), makeRoom: call.makeRoom };
}

/** A list whose answer is a bare array cannot contain a cursor: the warnings header reports that it was cut. */
export function warnOfCut<Row extends { version: number }>(call: Call, { rows, isCut }: ListPage<Row>): void {
  if (isCut) call.warn(`The list ends early for its size; go on with cursor=${rows.at(-1)?.version}.`);
}

function readBounds({ query, makeRoom }: Call): Pick<ListQuery, "limit" | "makeRoom"> {
  return { limit: readLimit(query, { byDefault: limits.listRowsMax, max: limits.listRowsMax }), makeRoom };
}
