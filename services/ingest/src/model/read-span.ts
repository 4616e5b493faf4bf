import type { JudgeScores, TraceTopic } from "@touchstone/contracts";
import type { Derivation } from "./derivation.ts";
import type { UpdateRefusal } from "./span-update.ts";

/** The result of storing one span, or an update of one: the row that holds it, and whether it existed before. */
export interface StoredSpan {
  id: string;
  deduped: boolean;
  agentId: string | null;
  /** Set if an update was not stored. */
  refused?: UpdateRefusal;
}

/** A span as read from the store. Null = absent. */
export interface ReadSpan {
  id: string;
  name: string;
  kind: string;
  createdAtMs: number;
  startedAtMs: number | null;
  latencyMs: number | null;
  framework: string | null;
  model: string | null;
  /** For an OTel span, the session of its whole trace, which is named like the trace if no span states one. */
  sessionId: string | null;
  spanId: string | null;
  parentSpanId: string | null;
  source: string | null;
  agentId: string | null;
  /** See span-row.ts. */
  flags: number;
  inputTokens: number | null;
  outputTokens: number | null;
  cacheReadTokens: number | null;
  cacheWriteTokens: number | null;
  /** For an OTLP span, the trace whose rows its `derived` refers to; null on REST. */
  traceKey: string | null;
  /** Additions from other rows of its trace; null = nothing. See assembly/compose.ts. */
  derived: Derivation | null;
  /** The blob; see span-body.ts. */
  body: Buffer;
  /** Its live verdicts; read only for lists, live tail and details. */
  judgeScores: JudgeScores | null;
  topic: TraceTopic | null;
}

/** The values that determine the place of a span in its tree. */
export interface PlacedSpan {
  id: string;
  spanId: string | null;
  parentSpanId: string | null;
  kind: string;
  /** Its start, else its creation. */
  atMs: number;
}
