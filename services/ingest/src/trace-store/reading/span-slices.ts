import type { Queryable } from "@touchstone/db";
import type { ComposeLoader } from "../../assembly/compose.ts";
import { composeInParts } from "../../assembly/compose-in-parts.ts";
import { splitByBytes } from "../../assembly/split-by-bytes.ts";
import type { ReadSpan } from "../../model/read-span.ts";
import { textBytesOf } from "../../model/span-body.ts";
import { createComposeLoader } from "./compose-store.ts";
import { type SpanRecord, toReadSpan } from "./span-select.ts";
import { buildSpansRead, type SliceRecord } from "./subtree-read.ts";

/**
 * Spans by their ids, in the requested order, composed, in slices of bounded size; removed spans are missing. `read` is
 * scoped to the project.
 */
export async function* readSpanSlices(
  read: Queryable["query"],
  { projectId, ids, metadata }: { projectId: string; ids: readonly string[]; metadata: boolean },
): AsyncIterable<ReadSpan[]> {
  for (let left = ids; left.length > 0; ) {
    const { rows } = await read<SliceRecord>(buildSpansRead(projectId, left));
    yield* composeSlices(rows, createComposeLoader(read, projectId), { metadata });
    const last = rows.at(-1);
    left = last === undefined || last.is_whole ? [] : left.slice(last.place);
  }
}

/** Text of rows composed at a time. Rows without additions stay packed. */
const composedBytesMax = 16 * 1024 * 1024;

/** Composes rows in parts of bounded size: packed rows may be a thousand times as long unpacked. */
export async function* composeSlices(
  records: readonly SpanRecord[],
  loader: ComposeLoader,
  options: { metadata: boolean },
): AsyncGenerator<ReadSpan[], void, undefined> {
  const spans = records.map(toReadSpan);
  const bytesOf = ({ derived, body }: ReadSpan): number =>
    derived === null ? body.length : textBytesOf(body, body.length);
  for (const part of splitByBytes(spans, bytesOf, composedBytesMax)) yield* composeInParts(part, loader, options);
}
