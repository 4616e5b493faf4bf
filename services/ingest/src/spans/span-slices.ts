import type { Queryable } from "@touchstone/db";
import { composeSpans } from "../trees/compose.ts";
import { createComposeLoader } from "../trees/compose-store.ts";
import { toReadSpan } from "./span-select.ts";
import { buildSpansRead, type SliceRecord } from "./subtree-read.ts";
import type { ReadSpan } from "./trace-store.ts";

/**
 * Spans by their ids, in the order asked, composed, in slices of bounded size; those that are gone are missing. `read` is
 * scoped to the project.
 */
export async function* readSpanSlices(
  read: Queryable["query"],
  { projectId, ids, metadata }: { projectId: string; ids: readonly string[]; metadata: boolean },
): AsyncIterable<ReadSpan[]> {
  for (let left = ids; left.length > 0; ) {
    const { rows } = await read<SliceRecord>(buildSpansRead(projectId, left));
    if (rows.length > 0) {
      yield composeSpans(rows.map(toReadSpan), createComposeLoader(read, projectId), { metadata });
    }
    const last = rows.at(-1);
    left = last === undefined || last.is_whole ? [] : left.slice(last.place);
  }
}
