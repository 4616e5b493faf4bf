import { AppError } from "@touchstone/service-kit";

/**
 * The export as a whole cannot be read, so none of it was accepted: 400 (otlp 2, Whole-request errors). A fault inside
 * one span never throws this; it is counted and reported through partial success.
 */
export class OtlpDecodeError extends AppError {
  constructor(publicMessage: string, options: { cause?: unknown } = {}) {
    super("body_unreadable", publicMessage, options);
  }
}
