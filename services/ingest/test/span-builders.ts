import type { IncomingSpan } from "../src/model/span.ts";
import type { SpanJob } from "../src/model/span-row.ts";
import { prepareSpans, type SpanContext } from "../src/recording/prepare-span.ts";

/** A REST root with nothing but a name, changed where a test cares. */
function buildSpan(changes: Partial<IncomingSpan> = {}): IncomingSpan {
  return {
    producer: "rest",
    otelTraceId: null,
    spanId: null,
    parentSpanId: null,
    parentIsRemote: false,
    name: "weather agent",
    agentName: null,
    kind: "agent",
    timestampMs: null,
    startedAtMs: null,
    endedAtMs: null,
    latencyMs: null,
    sessionId: null,
    framework: null,
    model: null,
    error: null,
    trafficSource: null,
    inputTokens: null,
    outputTokens: null,
    cacheReadTokens: null,
    cacheWriteTokens: null,
    input: null,
    output: null,
    toolCalls: null,
    metadata: null,
    performanceSummary: null,
    ...changes,
  };
}

/** The job of a request that brings these spans. */
export function buildJob(
  projectId: string,
  spans: readonly Partial<IncomingSpan>[],
  context: Partial<SpanContext> = {},
): Promise<SpanJob> {
  return prepareSpans(spans.map(buildSpan), {
    projectId,
    nowMs: Date.now(),
    fieldCharsMax: null,
    agentId: null,
    monitor: null,
    patternIds: null,
    ...context,
  });
}
