import type { IncomingFragment } from "./incoming-fragment.ts";
import type { OwnFacts, PromptUse } from "./own-facts.ts";
import type { SpanUpdate } from "./span-update.ts";
import type { TokenList } from "./token-list.ts";

/** Set in `flags` of a row received over OTLP. */
export const otlpFlag = 1;
/** Set in `flags` of a row whose parent is in another process. */
export const remoteParentFlag = 2;
/** Set in `flags` of a row that is a root because its parent did not arrive (otlp 6). */
export const promotedFlag = 4;
/** Set in `flags` of a row that is made from the updates of its span, and changes with them. */
export const updatedFlag = 8;
/** Set in `flags` of a root that names no model and shows that of a call below, which does not price its tokens. */
export const borrowedModelFlag = 16;
/** Set in `flags` of a row that was imported or sent with `monitor:false`: as a root, now or later, it is not monitored. */
export const unmonitoredFlag = 32;

/** One span ready to be written. All values are final, except whether it is new, which only the store knows. */
export interface SpanRow {
  /** Version 7, with the time `createdAtMs`. */
  id: string;
  /** The identity that a replay repeats; null if the sender gave none. */
  dk: string | null;
  traceKey: string | null;
  spanId: string | null;
  parentSpanId: string | null;
  isRoot: boolean;
  /** Whole milliseconds. */
  createdAtMs: number;
  startedAtMs: number | null;
  endedAtMs: number | null;
  sessionId: string | null;
  /** Roots only. */
  agentId: string | null;
  /** Set if the trace registers its agent; null if it named an existing one. */
  agentName: string | null;
  name: string;
  kind: string;
  framework: string | null;
  source: "eval-run" | null;
  model: string | null;
  hasError: boolean;
  latencyMs: number | null;
  /** Input, output, cache read, cache write and reasoning; null if none is known. */
  ownTokens: TokenList | null;
  /** The same including descendants (otlp 6); null if equal. */
  aggTokens: TokenList | null;
  /** The tokens of the trace that no other span accounts for; null = nothing. */
  netTokens: TokenList | null;
  /** Tool calls that it counts for (see tool-tally.ts); null = none. */
  tools: string | null;
  /** The span's own values, for deriving its trace again; null on REST. */
  facts: OwnFacts | null;
  /** Additions from other rows on reading (JSON; derivation.ts); null = nothing. */
  derived: string | null;
  /** The prompt that it states; absent = none. */
  prompt?: PromptUse;
  /** Matches log records without a trace. */
  responseId: string | null;
  /** The identity of a REST span's parent, which may not have arrived; null without a parent. */
  parentDk: string | null;
  flags: number;
  /** See span-body.ts. */
  body: Buffer;
  /**
   * JSON of a new root in `event.traces.stored.v1`; null on OTLP until its trace is derived. The same for a child that
   * settles with the commit, although no such event is sent for it; null for all other children.
   */
  event: string | null;
  /**
   * Members of the settled event beyond `event` (see settled-facts.ts), if it settles with the commit; null for all but
   * new REST roots, and REST children if these are checked too.
   */
  settled: string | null;
  /** The searched text of a root, lower-cased; null for a child, and on OTLP until its trace is derived. */
  doc: string | null;
}

/** The spans, updates of spans, or log records about spans, of one request: all are stored or none. */
export interface SpanJob {
  projectId: string;
  rows: readonly SpanRow[];
  /** Absent = none. */
  fragments?: readonly IncomingFragment[];
  /** Absent = none. Each has an answer, after those of the rows. */
  updates?: readonly SpanUpdate[];
  /** Approximate memory of the rows. */
  bytes: number;
  /** It is not urgent, and is never committed before others. */
  isBulk?: true;
}

/** A row with its project. */
export interface ProjectRow {
  projectId: string;
  row: SpanRow;
}
