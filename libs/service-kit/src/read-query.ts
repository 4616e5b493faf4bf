import { parse as parseQuery } from "node:querystring";
import { AppError } from "./app-error.ts";
import type { Call } from "./call.ts";

/** The query of a path: parsed identically with a socket and without. */
export function readQuery(path: string): Record<string, string | string[] | undefined> {
  const question = path.indexOf("?");
  return question < 0 ? {} : parseQuery(path.slice(question + 1), "&", "=", { maxKeys: 0 });
}

/** The first of several values of a parameter counts; an empty one counts as absent. */
export function readParameter(query: Call["query"], name: string): string | null {
  return [query[name] ?? ""].flat()[0] || null;
}

/** The number of rows of a page. Throws `bad_request` for a value that is not an integer from 1 to `max`. */
export function readLimit(query: Call["query"], { byDefault, max }: { byDefault: number; max: number }): number {
  return requireLimit(parseDigits(readParameter(query, "limit") ?? String(byDefault)), max);
}

/** The number if it is an integer from 1 to `max`; else throws `bad_request`. */
export function requireLimit(limit: number, max: number): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return limit;
  throw new AppError("bad_request", `limit must be a number between 1 and ${max}`);
}

/** NaN for a text of anything but at most nine digits. */
export const parseDigits = (text: string): number => (/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN);
