import type { PricedTokens } from "@touchstone/contracts";
import type { PlacedSpan, ReadSpan, StoredSpan } from "../model/read-span.ts";
import type { RootFilter } from "../model/root-filter.ts";
import type { ProjectRow, SpanJob } from "../model/span-row.ts";
import type { TraceRemover } from "./removing/trace-remover.ts";

export interface RootQuery extends RootFilter {
  projectId: string;
  /** 1 to 100. */
  limit: number;
  /** Only ids below it; the row itself need not exist any more. Null = from the newest. */
  before: string | null;
}

/** Roots that match a filter, by when they were created. */
export interface RootHistogramQuery extends RootFilter {
  projectId: string;
  fromMs: number;
  toMs: number;
  /** Buckets of this width are counted from a Monday, as `bucketStarts` has it. */
  bucketMs: number;
}

/** Roots of one bucket. */
export interface RootCount {
  startMs: number;
  count: number;
  /** Of these, those that ended in an error. */
  errors: number;
}

/** A span of an outline. Null = not known. */
export interface OutlinedSpan extends PlacedSpan {
  name: string;
  latencyMs: number | null;
  hasError: boolean;
  model: string | null;
  /** As they are shown: with those of the spans below. */
  tokens: PricedTokens;
  /** Its own. */
  ownTokens: PricedTokens;
  rating: number | null;
}

/** How roots are shown: as they are read, a group at a time, so that only what is shown of them is held. */
export interface RootShowing<Item> {
  show(roots: readonly ReadSpan[]): Promise<readonly Item[]>;
  bytesOf(item: Item): number;
  /** Waits until there is room for an answer of so many bytes. */
  makeRoom(bytes: number): Promise<void>;
}

export interface RootPage<Item> {
  /** At most `limit`, newest first. */
  items: Item[];
  /** The id of the last one; null without any. */
  lastId: string | null;
  hasNextPage: boolean;
  /** The page ends early: its items would have more bytes than an answer may have. */
  isCut: boolean;
  /** Of all pages; exact, and of the same instant as the page. */
  totalCount: number;
}

export interface SubtreeOutline {
  /** The asked one first, then by start. */
  spans: OutlinedSpan[];
  /** There are more, too many levels below. */
  isDeeper: boolean;
}

/**
 * Where spans are kept. Every statement over spans is behind this interface, so that another engine needs no change
 * elsewhere; test/trace-store-contract.ts says what one must do. Projects never see each other's rows. Whatever fails
 * for a passing reason is an AppError `store_unavailable`.
 */
export interface TraceStore extends TraceRemover {
  /**
   * Commits jobs together: spans, identities, agents of new roots, counters and the events that announce new roots. A
   * span whose identity is stored already changes nothing, and its answer is the first row's. Each job is stored whole
   * or not at all. Rejects when nothing was committed. A job whose answer is `rejected` may have been committed; sent
   * again, it is found. `writer` tells concurrent callers apart: each number is used by one at a time.
   */
  insertBatch(jobs: readonly SpanJob[], writer: number): Promise<PromiseSettledResult<StoredSpan[]>[]>;
  /** The rows that hold the identities of these rows, by `project dk`, whoever stored them first; others are missing. */
  findStored(rows: readonly ProjectRow[]): Promise<ReadonlyMap<string, { id: string; agentId: string | null }>>;
  /** Root spans, newest first. */
  listRoots<Item>(query: RootQuery, showing: RootShowing<Item>): Promise<RootPage<Item>>;
  /**
   * Roots by when they were created: the buckets that have any, in no order. Rejects with `service_unavailable` where a
   * search finds too many.
   */
  countRoots(query: RootHistogramQuery): Promise<RootCount[]>;
  /** When the oldest and the newest root of a project were created; null without any. */
  readRootExtent(projectId: string): Promise<{ oldestMs: number; newestMs: number } | null>;
  /** Roots by their ids, in slices of bounded size; those that are none, or gone, are missing. */
  readRoots(projectId: string, ids: readonly string[]): AsyncIterable<ReadSpan[]>;
  /** Those of these roots that the filter lets through. */
  matchRoots(projectId: string, filter: RootFilter, ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Any one span, root or child; null when the project has none of this id. */
  readTrace(projectId: string, id: string): Promise<ReadSpan | null>;
  /**
   * Every span of a session or, by its 32 hexadecimal digits, of an OTel trace, by start (else creation), in slices of
   * bounded size: a session may hold any number. Each slice is read when it is asked for.
   */
  listSessionSpans(projectId: string, sessionId: string): AsyncIterable<ReadSpan[]>;
  /**
   * The span of this id with what may be below it, in no order, without contents: at most `spansMax` spans, those of an
   * OTel trace that start first, those of REST that are not too far below. Null when the project has none of this id.
   */
  readSubtree(projectId: string, id: string, spansMax: number): Promise<PlacedSpan[] | null>;
  /** What {@link readSubtree} finds, with what can be said of a span without its texts. */
  readOutline(projectId: string, id: string, spansMax: number): Promise<SubtreeOutline | null>;
  /** Spans by their ids, in the order asked, in slices of bounded size; those that are gone are missing. */
  readSpans(projectId: string, ids: readonly string[]): AsyncIterable<ReadSpan[]>;
}
