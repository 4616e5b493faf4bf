import { isUuid } from "@touchstone/contracts";
import { AppError, readParameter } from "@touchstone/service-kit";

/** The parameters of a request, as in {@link Call}. */
export type Query = Readonly<Record<string, string | string[] | undefined>>;

/** Null without the parameter. Throws `bad_request` for a value that is not a finite number. */
export function readNumber(query: Query, name: string): number | null {
  const text = readParameter(query, name);
  if (text === null) return null;
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) throw new AppError("bad_request", `${name} must be a number`);
  return value;
}

/** Null without the parameter. Throws `bad_request` for another word. */
export function readOneOf<const Word extends string>(query: Query, name: string, words: readonly Word[]): Word | null {
  const text = readParameter(query, name);
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

/**
 * The start of a page; null: the beginning. Throws `bad_request` for a malformed id; `what` is the entity whose id it must be.
 */
export function readCursor(query: Query, what: string): string | null {
  const cursor = readParameter(query, "cursor");
  if (cursor !== null && !isUuid(cursor)) throw new AppError("bad_request", `cursor must be ${what}`);
  return cursor;
}

/** True if the parameter is `true` or `1`. */
export function readFlag(query: Query, name: string): boolean {
  return ["true", "1"].includes(readParameter(query, name) ?? "");
}
