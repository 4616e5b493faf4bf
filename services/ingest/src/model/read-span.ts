import type { JudgeScores, TraceTopic } from "@touchstone/contracts";
import type { Derivation } from "./derivation.ts";

/** What became of one span of a job: the row that holds it, and whether it was there before. */
export interface StoredSpan {
  id: string;
  deduped: boolean;
  agentId: string | null;
}

/** A span as it is read back. Null = absent. */
export interface ReadSpan {
  id: string;
  name: string;
  kind: string;
  createdAtMs: number;
  startedAtMs: number | null;
  latencyMs: number | null;
  framework: string | null;
  model: string | null;
  /** Of an OTel span, that of its whole trace, which is named like the trace when no span of it states one. */
  sessionId: string | null;
  spanId: string | null;
  parentSpanId: string | null;
  source: string | null;
  agentId: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
  cacheReadTokens: number | null;
  cacheWriteTokens: number | null;
  /** Of an OTLP span, the trace whose rows its `derived` refers to; null on REST. */
  traceKey: string | null;
  /** What other rows of its trace add; null = nothing. See assembly/compose.ts. */
  derived: Derivation | null;
  /** The blob; see span-body.ts. */
  body: Buffer;
  /** What live judging says of it; read with lists, live tail and detail only. */
  judgeScores: JudgeScores | null;
  topic: TraceTopic | null;
}

/** What tells the place of a span in its tree. */
export interface PlacedSpan {
  id: string;
  spanId: string | null;
  parentSpanId: string | null;
  kind: string;
  /** Its start, else its creation. */
  atMs: number;
}
