import type { ErrorCode } from "@touchstone/contracts";

/**
 * Why a message on the bus came to nothing. Every kind but `failed` and `invalid_reply` is an ordinary outcome of a
 * distributed system: the caller turns it into a reason, never into a 500 (decision 5).
 *
 * - `no_responder`: no member answers the subject, even after the grace period for a restarting service.
 * - `timeout`: members answer the subject, but no outcome came in time.
 * - `busy`: every member asked refused until the time was over.
 * - `too_large`: the request, the event or the reply exceeds what the server carries; nothing was cut.
 * - `disconnected`: NATS is unavailable.
 * - `invalid_reply`: the reply does not match the contract.
 * - `failed`: the handler threw, or the event store refused the event.
 */
export type BusErrorKind =
  | "no_responder"
  | "timeout"
  | "busy"
  | "too_large"
  | "disconnected"
  | "invalid_reply"
  | "failed";

/** The details of a {@link BusError}, by kind. */
export interface BusErrorFacts {
  subject: string;
  cause?: unknown;
  /** `too_large`: size of the encoded message with its headers. */
  bytes?: number;
  /** `too_large`: the server's limit. */
  limit?: number;
  /** `failed`: the error code of the handler's AppError; `internal` for any other error. */
  code?: ErrorCode;
  /** `failed`: the delay of the handler's AppError. */
  retryAfterSeconds?: number;
}

/** The only error of the bus. For `failed`, `message` is the public message of the handler's AppError. */
export class BusError extends Error {
  override readonly name = "BusError";
  readonly kind: BusErrorKind;
  readonly subject: string;
  readonly bytes: number | undefined;
  readonly limit: number | undefined;
  readonly code: ErrorCode | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: BusErrorKind, message: string, facts: BusErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.kind = kind;
    this.subject = facts.subject;
    this.bytes = facts.bytes;
    this.limit = facts.limit;
    this.code = facts.code;
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }
}

/** Whether an unknown thrown value is a {@link BusError}, including one from another copy of this module. */
export function isBusError(thrown: unknown): thrown is BusError {
  return thrown instanceof Error && thrown.name === "BusError" && "kind" in thrown;
}
