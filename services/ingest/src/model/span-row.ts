import type { StoredTrace } from "@touchstone/contracts";
import type { IncomingFragment } from "./incoming-fragment.ts";
import type { OwnFacts } from "./own-facts.ts";
import type { TokenList } from "./token-list.ts";

/** Set in `flags` of a row that came over OTLP. */
export const otlpFlag = 1;
/** Set in `flags` of a row whose parent lives in another process. */
export const remoteParentFlag = 2;
/** Set in `flags` of a row that is a root because its parent did not come (otlp 6). */
export const promotedFlag = 4;

/** One span ready to be written: every value final but for what only the store can know, whether it is new. */
export interface SpanRow {
  /** Version 7; its time is `createdAtMs`. */
  id: string;
  /** What a replay repeats; null when the sender gave the span no identity. */
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
  /** Set when the trace registers its agent; null when it picked one that exists. */
  agentName: string | null;
  name: string;
  kind: string;
  framework: string | null;
  source: "eval-run" | null;
  model: string | null;
  hasError: boolean;
  latencyMs: number | null;
  /** Input, output, cache read, cache write and reasoning; null when none is known. */
  ownTokens: TokenList | null;
  /** The same with what descendants add (otlp 6); null where that is nothing. */
  aggTokens: TokenList | null;
  /** What of its trace's tokens no other span accounts for; null = nothing. */
  netTokens: TokenList | null;
  /** Calls of tools it stands for (see tool-tally.ts); null = none. */
  tools: string | null;
  /** What the span itself says, for deriving its trace anew; null on REST. */
  facts: OwnFacts | null;
  /** What reading adds from other rows (JSON; derivation.ts); null = nothing. */
  derived: string | null;
  /** What a log record without a trace is matched by. */
  responseId: string | null;
  /** The identity of a REST span's parent, which may not have come; null without a parent. */
  parentDk: string | null;
  flags: number;
  /** See span-body.ts. */
  body: Buffer;
  /**
   * What `event.traces.stored.v1` says of a new root, as JSON; null on OTLP until its trace is derived. Of a child that
   * settles with the commit the same, which no such event tells; null for all other children.
   */
  event: string | null;
  /**
   * What settles with the commit, beyond `event` (see settled-facts.ts); null for all but new REST roots, and
   * REST children where these are checked too.
   */
  settled: string | null;
  /** What the sender of an OTel span asks of monitoring; absent = nothing, as OTLP itself has no words for it. */
  asked?: Pick<StoredTrace, "monitor" | "patternIds">;
  /** What search reads of a root, lower-cased; null for a child, and on OTLP until its trace is derived. */
  doc: string | null;
}

/** The spans, or the log records about spans, that one request brings: stored all or none. */
export interface SpanJob {
  projectId: string;
  rows: readonly SpanRow[];
  /** Absent = none. */
  fragments?: readonly IncomingFragment[];
  /** What the rows hold in memory, nearly. */
  bytes: number;
  /** It is in no hurry, and is never committed in front of others. */
  isBulk?: true;
}

/** A row with the project it belongs to. */
export interface ProjectRow {
  projectId: string;
  row: SpanRow;
}
