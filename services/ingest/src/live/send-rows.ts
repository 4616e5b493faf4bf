import type { ReadSpan } from "../model/read-span.ts";
import type { RootFilter } from "../model/root-filter.ts";
import type { PricedProject } from "../pricing/price-store.ts";
import type { TraceStore } from "../trace-store/trace-store.ts";
import type { TailRow } from "./tail-store.ts";
import type { TraceStream } from "./trace-stream.ts";

/** Where the roots of rows come from, and how they look. */
export interface RootSource {
  traces: Pick<TraceStore, "readRoots" | "matchRoots">;
  /** A list item as JSON; a preview if prices are given. */
  show(root: ReadSpan, preview: PricedProject | null): Promise<Buffer>;
}

/** Full roots in one read. */
const rootsMax = 16;

/**
 * Sends streams at one position the roots of the rows that follow it. The position advances with every row, so that a
 * failure repeats nothing. Returns the streams that received all rows: one that catches up keeps its position when its
 * buffer is full, and gets the rest later.
 */
export async function sendRows(
  { traces, show }: RootSource,
  rows: readonly TailRow[],
  group: readonly TraceStream[],
): Promise<readonly TraceStream[]> {
  let receiving = group;
  // A stream that catches up may have enough to read after one large root.
  let size = group.some(({ isCatchingUp }) => isCatchingUp) ? 1 : rootsMax;
  for (let start = 0; start < rows.length; start += size, size = Math.min(2 * size, rootsMax)) {
    receiving = receiving.filter(({ isReady }) => isReady);
    if (receiving.length === 0) break;
    const slice = rows.slice(start, start + size);
    const roots = await readSlice(traces, slice);
    const matches = await matchSlice(traces, slice, group);
    for (const row of slice) {
      receiving = receiving.filter(({ isReady }) => isReady);
      const root = roots.get(keyOf(row));
      const readers = receiving.filter(
        (stream) =>
          root !== undefined &&
          stream.projectId === row.projectId &&
          !stream.preceded(row.xid) &&
          stream.wants(root) &&
          (matches.get(stream)?.has(row.id) ?? true),
      );
      const items = root === undefined ? null : await showTo(show, readers, root);
      for (const stream of receiving) stream.position = { xid: row.xid, seq: row.seq };
      for (const stream of readers) stream.send(items?.get(stream) as Buffer);
    }
  }
  return receiving;
}

/** The roots of rows, by project and id; removed ones are missing. */
async function readSlice(
  traces: RootSource["traces"],
  slice: readonly TailRow[],
): Promise<ReadonlyMap<string, ReadSpan>> {
  const roots = new Map<string, ReadSpan>();
  for (const [projectId, own] of Map.groupBy(slice, (row) => row.projectId)) {
    const ids = own.map(({ id }) => id);
    for await (const part of traces.readRoots(projectId, ids)) {
      for (const root of part) roots.set(keyOf({ projectId, id: root.id }), root);
    }
  }
  return roots;
}

const keyOf = ({ projectId, id }: { projectId: string; id: string }): string => `${projectId} ${id}`;

/** Matches these rows against the filters of streams that filter by more than framework and source. */
async function matchSlice(
  traces: RootSource["traces"],
  slice: readonly TailRow[],
  group: readonly TraceStream[],
): Promise<ReadonlyMap<TraceStream, ReadonlySet<string>>> {
  const matches = new Map<TraceStream, ReadonlySet<string>>();
  for (const stream of group) {
    const { filter } = stream.wishes;
    if (filter === null || !isNarrow(filter)) continue;
    const ids = slice.filter(({ projectId }) => projectId === stream.projectId).map(({ id }) => id);
    matches.set(stream, ids.length === 0 ? new Set() : await traces.matchRoots(stream.projectId, filter, ids));
  }
  return matches;
}

/** True if a filter needs more than the columns of the root that was read. */
function isNarrow({ framework: _framework, source: _source, ...others }: RootFilter): boolean {
  return Object.values(others).some((value) => value !== null);
}

/** Composes a root once for each format that its readers asked for. */
async function showTo(
  show: RootSource["show"],
  readers: readonly TraceStream[],
  root: ReadSpan,
): Promise<ReadonlyMap<TraceStream, Buffer>> {
  const items = new Map<TraceStream, Buffer>();
  for (const [isPreview, streams] of Map.groupBy(readers, ({ wishes }) => wishes.preview !== null)) {
    const item = await show(root, isPreview ? (streams[0] as TraceStream).wishes.preview : null);
    for (const stream of streams) items.set(stream, item);
  }
  return items;
}
