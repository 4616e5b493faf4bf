import { limits } from "@touchstone/contracts";
import { AppError, type Call, readParameter } from "@touchstone/service-kit";

/** A page of a list by its number. */
export interface Page {
  /** From 1. */
  page: number;
  limit: number;
  /** Rows before the page. */
  offset: number;
}

/** The farthest row that a page may begin at. */
const offsetMax = 1_000_000;

/** Reads `page` and `limit` of a request. Throws `bad_request` for what is no page. */
export function readPage(call: Call): Page {
  const page = readCount(call, "page", 1);
  const limit = Math.min(readCount(call, "limit", 50), limits.peerPageMax);
  const offset = (page - 1) * limit;
  if (offset > offsetMax) throw new AppError("bad_request", "page is beyond the end of any list");
  return { page, limit, offset };
}

/** The end of a list's answer. */
export function pageMeta({ page, limit }: Page, totalItems: number) {
  return { page, limit, totalItems, totalPages: Math.ceil(totalItems / limit) };
}

/** A query parameter; an empty one counts as absent. */
export function textOf({ query }: Call, name: string): string | null {
  return readParameter(query, name);
}

function readCount(call: Call, name: string, byDefault: number): number {
  const text = textOf(call, name);
  if (text === null) return byDefault;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new AppError("bad_request", `${name} must be a number from 1`);
  return Number(text);
}
