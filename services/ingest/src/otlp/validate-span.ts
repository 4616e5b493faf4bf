import { limits } from "@touchstone/contracts/limits";
import type { ReceivedSpan } from "./wire/received-span.ts";

/**
 * How far ahead of the server's clock a span may be; more is a wrong unit or a broken clock (otlp 2, What is invalid).
 */
const aheadMaxMs = 24 * 60 * 60 * 1000;

const traceIdText = /^[0-9a-f]{32}$/;
const spanIdText = /^[0-9a-f]{16}$/;
const allZeros = /^0+$/;

/** The reason why a span cannot be stored, or null. `foreign` = it has neither id, unlike any real span. */
export function findFault(span: ReceivedSpan, nowMs: number): { reason: string; foreign: boolean } | null {
  const reason =
    idFault("traceId", span.traceId, traceIdText, 32, 24) ??
    idFault("spanId", span.spanId, spanIdText, 16, 12) ??
    (isAhead(span.startNano, nowMs) ? "start time is more than 24 hours ahead" : null);
  return reason === null ? null : { reason, foreign: span.traceId === "" && span.spanId === "" };
}

/**
 * Repairs what is not a reason to reject a span, and returns a warning for each repair that the sender should know
 * about. A zero parent, or the span itself as parent, means a root and needs no warning.
 */
export function repairSpan(span: ReceivedSpan, nowMs: number): string[] {
  const warnings: string[] = [];
  if (span.parentSpanId !== "" && !spanIdText.test(span.parentSpanId)) {
    warnings.push("parentSpanId must be 16 hex characters; stored without a parent");
    span.parentSpanId = "";
  } else if (allZeros.test(span.parentSpanId) || span.parentSpanId === span.spanId) {
    span.parentSpanId = "";
  }
  if (isAhead(span.endNano, nowMs)) {
    warnings.push("end time is more than 24 hours ahead; stored as unfinished");
    span.endNano = 0n;
  } else if (span.endNano !== 0n && span.endNano < span.startNano) {
    warnings.push("end time is before start time; latency stored as 0");
    span.endNano = span.startNano;
  }
  if (span.depthTruncated) warnings.push(`values nested deeper than ${limits.otlpDepthMax} levels were truncated`);
  return warnings;
}

/** The reason why the ids of a log record are invalid, or null. A missing id is valid. */
export function findIdFault(traceId: string | null, spanId: string | null): string | null {
  return (
    (traceId === null ? null : idFault("traceId", traceId, traceIdText, 32, 24)) ??
    (spanId === null ? null : idFault("spanId", spanId, spanIdText, 16, 12))
  );
}

function idFault(name: string, id: string, valid: RegExp, length: number, base64Length: number): string | null {
  if (valid.test(id)) return allZeros.test(id) ? `${name} is all zeros` : null;
  const fault = `${name} must be ${length} hex characters`;
  const looksBase64 = id.length === base64Length && /^[a-z0-9+/_-]+=*$/i.test(id) && !/^[0-9a-f]+$/.test(id);
  return looksBase64 ? `${fault} (this one looks base64)` : fault;
}

/** True if a time cannot be that of a span; 0 = not stated. */
export function isAhead(nano: bigint, nowMs: number): boolean {
  return nano !== 0n && Number(nano / 1_000_000n) > nowMs + aheadMaxMs;
}
