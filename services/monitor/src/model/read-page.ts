import { AppError, type Call, parseIsoTime } from "@touchstone/service-kit";

const pageDefault = 20;
/** Each row requires reading a trace. */
const pageMax = 50;

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

/** An integer from 1 to the maximum page size. Throws 400 for other values. */
export function readCount(name: string, value: string | readonly string[] | undefined): number {
  const asked = value === undefined ? pageDefault : Number(value);
  if (!Number.isInteger(asked) || asked < 1) throw new AppError("bad_request", `${name} must be a positive integer`);
  return Math.min(asked, pageMax);
}
