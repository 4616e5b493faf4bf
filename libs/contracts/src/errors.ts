import { z } from "zod";

/**
 * The body shape of an error answer (interface: Errors, Envelopes).
 *
 * - `error`: `{ error }`, what most routes send.
 * - `global`: `{ statusCode, message }`, what the router, the body parser and the limiters send.
 * - `account`: `{ message, code }`, the sign-in family (completions 12.3).
 * - `validation`: `{ error, details: { fieldErrors, formErrors } }`, trace ingest only.
 *
 * The routes of other systems' clients have bodies of their own: see {@link RouteEnvelope}.
 */
export type ErrorEnvelope = "error" | "global" | "account" | "validation";

/** The answer to one kind of failure. `retryAfterSeconds` becomes the `Retry-After` header. */
export interface ErrorKind {
  status: number;
  envelope: ErrorEnvelope;
  retryAfterSeconds?: number;
}

/**
 * All expected failures of a call. A service throws `AppError(code, message)`; this table alone determines the status
 * and the envelope. On the OTLP routes {@link otlpEnvelope} changes the envelope, never the status.
 */
export const errorKinds = {
  bad_request: { status: 400, envelope: "error" },
  body_unreadable: { status: 400, envelope: "global" },
  unauthorized: { status: 401, envelope: "error" },
  forbidden: { status: 403, envelope: "error" },
  host_refused: { status: 403, envelope: "global" },
  invalid_origin: { status: 403, envelope: "account" },
  not_found: { status: 404, envelope: "error" },
  route_not_found: { status: 404, envelope: "global" },
  method_not_allowed: { status: 405, envelope: "global" },
  request_timeout: { status: 408, envelope: "global" },
  conflict: { status: 409, envelope: "error" },
  gone: { status: 410, envelope: "error" },
  body_too_large: { status: 413, envelope: "global" },
  unsupported_media_type: { status: 415, envelope: "global" },
  trace_invalid: { status: 422, envelope: "validation" },
  unprocessable: { status: 422, envelope: "error" },
  rate_limited: { status: 429, envelope: "global" },
  queue_full: { status: 429, envelope: "error", retryAfterSeconds: 1 },
  trace_quota_spent: { status: 429, envelope: "error" },
  head_too_large: { status: 431, envelope: "global" },
  internal: { status: 500, envelope: "global" },
  store_unavailable: { status: 503, envelope: "error", retryAfterSeconds: 2 },
  service_unavailable: { status: 503, envelope: "global", retryAfterSeconds: 2 },
} as const satisfies Record<string, ErrorKind>;

/**
 * `Retry-After` of an outage on a route that reads (completions 1.5), where no better value is known: readers wait
 * longer than writers, who hold unsaved data.
 */
export const readRetryAfterSeconds = 5;

/** The name of one row of {@link errorKinds}. */
export type ErrorCode = keyof typeof errorKinds;

/** `{ error }`: the envelope of most route errors. */
export const errorBody = z.object({ error: z.string() });

/** `{ statusCode, message }`: the envelope of the router, the body parser and the limiters. */
export const globalErrorBody = z.object({ statusCode: z.number().int(), message: z.string() });

/** The 422 of trace ingest (interface: Errors; completions 2.1). Field names are the snake_case ones. */
export const validationErrorBody = z.object({
  error: z.literal("Invalid trace payload"),
  details: z.object({
    fieldErrors: z.record(z.string(), z.array(z.string())),
    formErrors: z.array(z.string()),
  }),
});

/** All errors of the routes for Langfuse's clients. `error` is the name of a kind of error. */
export const langfuseErrorBody = z.object({ message: z.string(), error: z.string() });

/** 429 (queue full, rate limit) and 503 of the OTLP routes: `{ message }`, a valid JSON `google.rpc.Status`. */
export const otlpErrorBody = z.object({ message: z.string() });
