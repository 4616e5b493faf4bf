import {
  type ErrorCode,
  type ErrorKind,
  errorKinds,
  type RouteEnvelope,
  readRetryAfterSeconds,
} from "@touchstone/contracts";
import { isAppError } from "./app-error.ts";

/** An error as it is sent. `code` is for the log. */
export interface RenderedError {
  code: ErrorCode;
  status: number;
  headers: Record<string, string>;
  body: Record<string, unknown>;
  /** True for unexpected errors: they are logged with their cause, and the client sees no details. */
  isBug: boolean;
}

/**
 * Turns a thrown value into status, headers and body (interface: Errors). Anything that is not an `AppError` is a bug:
 * 500 on ordinary routes. OTLP exporters drop an export on 500, so there it is a 503 they retry (otlp 2). The
 * Retry-After of an outage is 5 s for readers and 2 s for all others.
 */
export function renderError(thrown: unknown, envelope: RouteEnvelope, method: string): RenderedError {
  const expected = isAppError(thrown) ? thrown : null;
  const code: ErrorCode = expected?.code ?? (envelope === "otlp" ? "service_unavailable" : "internal");
  const kind: ErrorKind = errorKinds[code];
  const message =
    expected?.message ?? (envelope === "otlp" ? "The export was not stored; retry." : "Internal server error");
  const isOutageOfReads = kind.status === 503 && method === "GET";
  const usualSeconds = isOutageOfReads ? readRetryAfterSeconds : kind.retryAfterSeconds;
  const retryAfterSeconds = expected?.retryAfterSeconds ?? usualSeconds;
  return {
    code,
    status: kind.status,
    headers: {
      ...expected?.internalHeaders,
      ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }),
    },
    body: renderBody(kind, code, message, envelope, expected?.details),
    isBug: expected === null,
  };
}

function renderBody(
  kind: ErrorKind,
  code: ErrorCode,
  message: string,
  envelope: RouteEnvelope,
  details: unknown,
): Record<string, unknown> {
  const isOtlpRetry = kind.status === 503 || (kind.status === 429 && code !== "trace_quota_spent");
  if (envelope === "otlp" && isOtlpRetry) return { message };
  if (envelope === "langfuse") return { message, error: nameOf(code) };
  if (kind.envelope === "global") return { statusCode: kind.status, message };
  if (kind.envelope === "account") return { message, code: code.toUpperCase() };
  if (kind.envelope === "validation") return { error: message, details };
  return { error: message };
}

/** The name of a kind of error: `not_found` is NotFoundError. */
function nameOf(code: ErrorCode): string {
  return `${code.replaceAll(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase())}Error`;
}
