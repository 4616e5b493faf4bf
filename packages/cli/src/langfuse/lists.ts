import { Failure } from "../surroundings.ts";
import type { Loss } from "./journal.ts";
import { membersOf, objectText } from "./raw-json.ts";
import { metaOf, type Row, rowsOf } from "./row.ts";
import type { LangfuseSource, Query } from "./source.ts";

/** A part of a list. */
export interface Page {
  rows: readonly Row[];
  /** Where the next page begins; null is the end. */
  next: string | null;
  /** What reading it lost. */
  lost?: readonly Loss[];
}

/** Reads the page at a position; null is the beginning. */
export type List = (position: string | null) => Promise<Page>;

/** A list whose pages have numbers. A list that the source does not know is empty. */
export function numberedList(source: LangfuseSource, path: string, query: Query): List {
  return async (position) => {
    const page = Number(position ?? 1);
    const answer = await source.find(path, { ...query, page });
    if (answer === null) return { rows: [], next: null };
    const rows = rowsOf(answer);
    const isLast = rows.length === 0 || page >= Number(metaOf(answer, "totalPages") ?? 0);
    return { rows, next: isLast ? null : String(page + 1) };
  };
}

/** A list whose answers name the next page. */
export function cursorList(source: LangfuseSource, path: string, query: Query): List {
  return async (cursor) => {
    const answer = await source.find(path, { ...query, cursor });
    return answer === null ? { rows: [], next: null } : { rows: rowsOf(answer), next: nextOf(answer, cursor) };
  };
}

function nextOf(answer: string, cursor: string | null): string | null {
  const next = metaOf(answer, "cursor");
  if (typeof next !== "string" || next === "") return null;
  if (next === cursor) throw new Failure("Langfuse answers the same page again and again: its cursor stays as it is.");
  return next;
}

const observationFields = "core,basic,time,io,metadata,model,usage,prompt,metrics,trace_context";
/** Longer values of metadata are cut, unless their keys are named. */
const cutAtChars = 200;
/** Named in one request, so that its address is not too long. */
const expandedKeysMax = 40;

/** Observations of version 4. Metadata that were cut are read again by their keys. */
export function observationList(source: LangfuseSource, query: Query): List {
  const path = "/v2/observations";
  return async (cursor) => {
    const answer = await source.get(path, { ...query, cursor, fields: observationFields });
    const rows = rowsOf(answer);
    const next = nextOf(answer, cursor);
    const keys = [...new Set(rows.flatMap(cutKeys))].filter((key) => !key.includes(","));
    const whole = new Map<string, Map<string, string>>();
    for (let at = 0; at < keys.length; at += expandedKeysMax) {
      const expandMetadata = keys.slice(at, at + expandedKeysMax).join(",");
      const expanded = rowsOf(await source.get(path, { ...query, cursor, fields: "core,metadata", expandMetadata }));
      for (const row of expanded) {
        const entries = whole.get(keyOf(row)) ?? new Map<string, string>();
        const asked = keys.slice(at, at + expandedKeysMax);
        for (const [key, text] of membersOf(row.raw("metadata") ?? "{}"))
          if (asked.includes(key)) entries.set(key, text);
        whole.set(keyOf(row), entries);
      }
    }
    const lost = rows.flatMap((row) =>
      cutKeys(row)
        .filter((key) => whole.get(keyOf(row))?.has(key) !== true)
        .map((key) => ({ member: `observation.metadata.${key}, after ${cutAtChars} characters`, id: row.id() })),
    );
    return { rows: rows.map((row) => withMetadata(row, whole.get(keyOf(row)))), next, lost };
  };
}

const keyOf = (row: Row): string => `${row.text("traceId")} ${row.id()}`;

function cutKeys(row: Row): string[] {
  const entries = [...membersOf(row.raw("metadata") ?? "{}")];
  return entries.filter(([, text]) => lengthOf(text) >= cutAtChars).map(([key]) => key);
}

const lengthOf = (json: string): number => (json.startsWith('"') ? (JSON.parse(json) as string).length : json.length);

function withMetadata(row: Row, whole: ReadonlyMap<string, string> | undefined): Row {
  if (whole === undefined || whole.size === 0) return row;
  const entries = { ...Object.fromEntries(membersOf(row.raw("metadata") ?? "{}")), ...Object.fromEntries(whole) };
  return row.with({ metadata: objectText(entries) });
}
