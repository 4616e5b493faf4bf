import { isUuid } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";

/** The parameters of a request, as in {@link Call}. */
export type Query = Readonly<Record<string, string | string[] | undefined>>;

/** The first of several values counts; an empty one counts as absent. */
export function readText(query: Query, name: string): string | null {
  const [first] = [query[name] ?? ""].flat();
  return first === undefined || first === "" ? null : first;
}

/** Null without the parameter. Throws `bad_request` for a value that is not a finite number. */
export function readNumber(query: Query, name: string): number | null {
  const text = readText(query, name);
  if (text === null) return null;
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) throw new AppError("bad_request", `${name} must be a number`);
  return value;
}

/** Null without the parameter. Throws `bad_request` for another word. */
export function readOneOf<const Word extends string>(query: Query, name: string, words: readonly Word[]): Word | null {
  const text = readText(query, name);
  if (text === null) return null;
  const known = words.find((word) => word === text);
  if (known !== undefined) return known;
  throw new AppError("bad_request", `${name} must be ${words.slice(0, -1).join(", ")} or ${words.at(-1)}`);
}

/**
 * True if a part of an answer is wanted: the default, unless the parameter is `none`. Throws `bad_request` for other words.
 */
export function readAllOrNone(query: Query, name: string): boolean {
  return readOneOf(query, name, ["all", "none"]) !== "none";
}

/** The number of rows of a page. Throws `bad_request` for a value that is not an integer from 1 to `max`. */
export function readLimit(query: Query, { byDefault, max }: { byDefault: number; max: number }): number {
  const limit = readText(query, "limit") ?? String(byDefault);
  if (!/^\d{1,9}$/.test(limit) || Number(limit) < 1 || Number(limit) > max) {
    throw new AppError("bad_request", `limit must be a number between 1 and ${max}`);
  }
  return Number(limit);
}

/**
 * The start of a page; null: the beginning. Throws `bad_request` for a malformed id; `what` is the entity whose id it must be.
 */
export function readCursor(query: Query, what: string): string | null {
  const cursor = readText(query, "cursor");
  if (cursor !== null && !isUuid(cursor)) throw new AppError("bad_request", `cursor must be ${what}`);
  return cursor;
}
