import type { PricedTokens } from "@touchstone/contracts";
import type { PlacedSpan, ReadSpan, StoredSpan } from "../model/read-span.ts";
import type { RootFilter } from "../model/root-filter.ts";
import type { SpanJob } from "../model/span-row.ts";
import type { NamedSpan } from "./reading/named-read.ts";
import type { TraceRemover } from "./removing/trace-remover.ts";

/** The identity of a span in its project; null = none. */
export interface SpanIdentity {
  projectId: string;
  dk: string | null;
}

export interface RootQuery extends RootFilter {
  projectId: string;
  /** 1 to 100. */
  limit: number;
  /** Only ids below it; the row itself may have been removed. Null = from the newest. */
  before: string | null;
}

/** A query for matching roots by creation time. */
export interface RootHistogramQuery extends RootFilter {
  projectId: string;
  fromMs: number;
  toMs: number;
  /** Buckets of this width are aligned to a Monday, as in `bucketStarts`. */
  bucketMs: number;
}

/** Roots of one bucket. */
export interface RootCount {
  startMs: number;
  count: number;
  /** Those that ended in an error. */
  errors: number;
}

/** A span of an outline. Null = unknown. */
export interface OutlinedSpan extends PlacedSpan {
  name: string;
  latencyMs: number | null;
  hasError: boolean;
  model: string | null;
  /** The model is that of a call below, which does not price this span (otlp 6, Cost). */
  borrowsModel: boolean;
  /** As shown: including the spans below. */
  tokens: PricedTokens;
  /** Its own. */
  ownTokens: PricedTokens;
  rating: number | null;
}

/** How roots are shown: a group at a time as they are read, so that only the output is held. */
export interface RootShowing<Item> {
  show(roots: readonly ReadSpan[]): Promise<readonly Item[]>;
  bytesOf(item: Item): number;
  /** Waits for memory for a response of so many bytes. */
  makeRoom(bytes: number): Promise<void>;
}

export interface RootPage<Item> {
  /** At most `limit`, newest first. */
  items: Item[];
  /** The id of the last one; null without any. */
  lastId: string | null;
  hasNextPage: boolean;
  /** The page ends early: its items would exceed the size limit of a response. */
  isCut: boolean;
  /** Over all pages; exact, and of the same instant as the page. */
  totalCount: number;
}

export interface SubtreeOutline {
  /** The requested one first, then by start. */
  spans: OutlinedSpan[];
  /** There are further spans on deeper levels. */
  isDeeper: boolean;
}

/** A row that a client names, and its trace. */
export interface FoundSpan {
  rootId: string;
  /** Of the span that was named; without one it is {@link rootId}. */
  spanRowId: string;
}

/**
 * The store of spans. Every statement over spans is behind this interface, so that another engine needs no change
 * elsewhere; test/trace-store-contract.ts specifies the behaviour. Projects never see each other's rows. Transient
 * failures are an AppError `store_unavailable`.
 */
export interface TraceStore extends TraceRemover {
  /**
   * Commits jobs together: spans, identities, agents of new roots, counters and the events that announce new roots. A
   * span whose identity is stored changes nothing, and its answer is the first row. Each job is stored whole or not at
   * all. Rejects if nothing was committed. A job whose answer is `rejected` may have been committed; sent again, it is
   * found. `writer` identifies concurrent callers: each number is used by one at a time.
   */
  insertBatch(jobs: readonly SpanJob[], writer: number): Promise<PromiseSettledResult<StoredSpan[]>[]>;
  /** The rows that hold these identities, by `project dk`; unknown identities are missing. */
  findStored(identities: readonly SpanIdentity[]): Promise<ReadonlyMap<string, { id: string; agentId: string | null }>>;
  /** Root spans, newest first. */
  listRoots<Item>(query: RootQuery, showing: RootShowing<Item>): Promise<RootPage<Item>>;
  /**
   * Roots by creation time: the non-empty buckets, in no order. Rejects with `service_unavailable` if a search has too
   * many hits.
   */
  countRoots(query: RootHistogramQuery): Promise<RootCount[]>;
  /** The creation times of a project's oldest and newest root; null without any. */
  readRootExtent(projectId: string): Promise<{ oldestMs: number; newestMs: number } | null>;
  /** Roots by their ids, in slices of bounded size; unknown and removed ids are missing. */
  readRoots(projectId: string, ids: readonly string[]): AsyncIterable<ReadSpan[]>;
  /** The ids of these roots that match the filter. */
  matchRoots(projectId: string, filter: RootFilter, ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Any span, root or child; null if the project has none with this id. */
  readTrace(projectId: string, id: string): Promise<ReadSpan | null>;
  /**
   * Every span of a session or, by its 32 hexadecimal digits, of an OTel trace, by start (else creation), in slices of
   * bounded size: a session may hold any number. Each slice is read on demand.
   */
  listSessionSpans(projectId: string, sessionId: string): AsyncIterable<ReadSpan[]>;
  /**
   * The span of this id with its possible descendants, in no order, without contents: at most `spansMax` spans, the
   * earliest of an OTel trace, the least deep ones of REST. Null if the project has none with this id.
   */
  readSubtree(projectId: string, id: string, spansMax: number): Promise<PlacedSpan[] | null>;
  /** The spans of {@link readSubtree}, with their values other than texts. */
  readOutline(projectId: string, id: string, spansMax: number): Promise<SubtreeOutline | null>;
  /** The rows of traces and spans that clients name, in order; null while one of the two is not there. */
  findNamed(projectId: string, named: readonly NamedSpan[]): Promise<(FoundSpan | null)[]>;
  /** Spans by their ids, in the requested order, in slices of bounded size; removed spans are missing. */
  readSpans(projectId: string, ids: readonly string[]): AsyncIterable<ReadSpan[]>;
}
