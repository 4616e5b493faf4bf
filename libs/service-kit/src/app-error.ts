import type { ErrorCode } from "@touchstone/contracts";

/** The optional parts of an {@link AppError} besides its code and public message. */
export interface AppErrorOptions {
  /** The underlying error, for the log; it never reaches a client. */
  cause?: unknown;
  /** Overrides the `Retry-After` of the error kind. */
  retryAfterSeconds?: number | undefined;
  /** The field breakdown of `trace_invalid`. */
  details?: { fieldErrors: Record<string, string[]>; formErrors: string[] } | undefined;
  /** Answer headers for the gateway, which forwards none of them. */
  internalHeaders?: Readonly<Record<string, string>> | undefined;
  /** True if every request fails in this way at the moment: the failure says nothing about this one. */
  isOutage?: boolean;
}

/**
 * An expected failure. `message` is public and describes this level only; the cause carries the rest. Check with {@link
 * isAppError}, which also recognises one from another copy of this module.
 */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly retryAfterSeconds: number | undefined;
  readonly details: AppErrorOptions["details"];
  readonly internalHeaders: AppErrorOptions["internalHeaders"];
  readonly isOutage: boolean;

  constructor(code: ErrorCode, publicMessage: string, options: AppErrorOptions = {}) {
    super(publicMessage, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.details = options.details;
    this.internalHeaders = options.internalHeaders;
    this.isOutage = options.isOutage ?? false;
  }
}

/** Whether an unknown thrown value is an expected failure. */
export function isAppError(thrown: unknown): thrown is AppError {
  return thrown instanceof Error && thrown.name === "AppError" && "code" in thrown;
}
