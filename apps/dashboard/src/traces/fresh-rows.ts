import type { InfiniteData } from "@tanstack/react-query";
import type { PagePlace, TraceRow, TracesPageData } from "./list-queries.ts";

/** The number of new rows kept back while the user reads further down; of more only their number is known. */
export const waitingMost = 500;

/** Rows that arrived since the list was loaded. */
export interface Waiting {
  /** Newest first. */
  rows: readonly TraceRow[];
  /** Further rows, which were only counted. */
  dropped: number;
}

export const nothingWaits: Waiting = { rows: [], dropped: 0 };

/** Adds a row of the stream; it replaces a waiting row with the same id, because the trace was stored again. */
export function addWaiting({ rows, dropped }: Waiting, row: TraceRow): Waiting {
  const others = rows.filter(({ _id }) => _id !== row._id);
  if (others.length === rows.length && rows.length >= waitingMost) return { rows, dropped: dropped + 1 };
  const at = others.findIndex(({ _id }) => _id < row._id);
  return { rows: others.toSpliced(at === -1 ? others.length : at, 0, row), dropped };
}

/** The query cache does not know the type of places. */
type Pages = InfiniteData<TracesPageData, unknown>;

/** The start of the first loaded page. */
export function firstPlace(pages: Pages): PagePlace {
  return pages.pageParams[0] as PagePlace;
}

/** Whether {@link takeFresh} can insert these rows in order; otherwise the list has to be loaded again. */
export function canTakeFresh(pages: Pages, { dropped }: Waiting): boolean {
  const [first] = pages.pages;
  return dropped === 0 && firstPlace(pages).before === null && (first?.traces.length ?? 0) < 2 * waitingMost;
}

/** Inserts new rows into the pages, ordered by id. Rows that belong after the last loaded page are only counted. */
export function takeFresh(pages: Pages, { rows }: Waiting): Pages {
  const ids = new Set(rows.map(({ _id }) => _id));
  const known = new Set(pages.pages.flatMap(({ traces }) => traces.map(({ _id }) => _id)));
  const added = rows.filter(({ _id }) => !known.has(_id)).length;
  let left = [...rows];
  const changed = pages.pages.map((page) => {
    const lowest = page.nextCursor;
    const own = lowest === null ? left : left.filter(({ _id }) => _id > lowest);
    left = left.filter((row) => !own.includes(row));
    const traces = [...page.traces.filter(({ _id }) => !ids.has(_id)), ...own].sort(newestFirst);
    return { ...page, traces, totalCount: page.totalCount + added };
  });
  let above = 0;
  const pageParams = changed.map(({ traces }, index) => {
    const place = { ...(pages.pageParams[index] as PagePlace), above };
    above += traces.length;
    return place;
  });
  return { pages: changed, pageParams };
}

/** Removes rows, for example after their deletion. */
export function withoutRows(pages: Pages, ids: ReadonlySet<string>): Pages {
  const gone = pages.pages.flatMap(({ traces }) => traces).filter(({ _id }) => ids.has(_id)).length;
  return {
    ...pages,
    pages: pages.pages.map((page) => ({
      ...page,
      traces: page.traces.filter(({ _id }) => !ids.has(_id)),
      totalCount: Math.max(0, page.totalCount - gone),
    })),
  };
}

function newestFirst(one: TraceRow, other: TraceRow): number {
  return one._id < other._id ? 1 : one._id > other._id ? -1 : 0;
}
