import { cutBodyMembers, decodeSpanBody } from "../model/span-body.ts";
import type { ExportedSpan } from "../trace-store/reading/span-export-store.ts";

/**
 * One line of `GET /export/traces` (completions 13): the stored row under its camelCase names. A column without a value
 * is null; an any-JSON member that was not sent is left out, since null is a possible value. Those members keep their
 * original text. Imports need the last five members, which the specification does not name.
 */
export async function renderExportedSpan(span: ExportedSpan, projectId: string): Promise<Buffer> {
  const body = cutBodyMembers(await decodeSpanBody(span.body), "performanceSummary");
  const head = JSON.stringify({ id: span.id, projectId, name: span.name }).slice(0, -1);
  const rest = JSON.stringify({
    latencyMs: span.latencyMs,
    framework: span.framework,
    model: span.model,
    spanKind: span.kind,
    source: span.source,
    sessionId: span.sessionId,
    inputTokens: span.inputTokens,
    outputTokens: span.outputTokens,
    cacheReadTokens: span.cacheReadTokens,
    cacheWriteTokens: span.cacheWriteTokens,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    startedAt: isoTime(span.startedAtMs),
    createdAt: isoTime(span.createdAtMs),
    agentId: span.agentId,
    agentName: span.agentName,
    isRoot: span.isRoot,
    otelTraceId: span.traceKey?.replaceAll("-", "") ?? null,
    startedAtUnixNano: nanos(span.startedAtMicros),
    endedAtUnixNano: nanos(span.endedAtMicros),
  });
  return Buffer.concat([Buffer.from(head), body, Buffer.from(`,${rest.slice(1)}`)]);
}

function isoTime(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString();
}

function nanos(micros: string | null): string | null {
  if (micros === null) return null;
  return micros === "0" ? "0" : `${micros}000`;
}
