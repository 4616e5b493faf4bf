import { AppError, type Call, parseIsoTime } from "@touchstone/service-kit";

/** The page of a list each of whose rows requires reading a trace. */
const pageOfTraces = { byDefault: 20, max: 50 };

/** A period of a list: from the first time on, before the second. Null: unlimited. */
export interface Period {
  from: Date | null;
  to: Date | null;
}

/** The period of a query's `from` and `to`. Throws 400 for a text that is no ISO 8601 date. */
export function readPeriod({ query }: Pick<Call, "query">): Period {
  return { from: readTime("from", query.from), to: readTime("to", query.to) };
}

/** Times that PostgreSQL can store; an earlier or later one is the first or last of them. */
function readTime(name: string, text: string | readonly string[] | undefined): Date | null {
  if (text === undefined) return null;
  if (typeof text !== "string") throw new AppError("bad_request", `${name} must be given once`);
  const atMs = parseIsoTime(text);
  if (atMs === null) throw new AppError("bad_request", `${name} must be an ISO 8601 date`);
  return new Date(Math.min(Math.max(Math.ceil(atMs), 0), Date.UTC(9999, 11, 31, 23, 59, 59, 999)));
}

/**
 * A count of rows, by default of a page of traces. A count above `max` is `max`, where `readLimit` refuses it. Throws 400 for a
 * value that is not an integer from 1.
 */
export function readCappedCount(
  name: string,
  value: string | readonly string[] | undefined,
  { byDefault, max } = pageOfTraces,
): number {
  const asked = value === undefined ? byDefault : Number(value);
  if (!Number.isInteger(asked) || asked < 1) throw new AppError("bad_request", `${name} must be a positive integer`);
  return Math.min(asked, max);
}
