import type { RouteEnvelope, ServiceName } from "@touchstone/contracts";
import { AppError } from "./app-error.ts";
import type { ShareUnit } from "./fair-share.ts";

/** The refusal when too many large answers wait for their readers. */
export function tooMuchToSend(owner: ServiceName): AppError {
  const message = `The ${owner} service has too many large answers to send; retry.`;
  return new AppError("service_unavailable", message, { retryAfterSeconds: 1 });
}

/**
 * The refusal when there is no memory for a body. Ingest answers that its queue is full, in the form of the route
 * (interface: Errors; completions 2.6); the spans of an export that was not read are not counted.
 */
export function noRoom(owner: ServiceName, envelope: RouteEnvelope, obstacle: ShareUnit = "total"): AppError {
  if (owner !== "ingest") {
    const whose = obstacle === "total" ? "" : ` of this ${obstacle}`;
    const message = `The ${owner} service has too much${whose} in progress; retry.`;
    return new AppError("service_unavailable", message, { retryAfterSeconds: 1 });
  }
  return new AppError(
    "queue_full",
    envelope === "otlp"
      ? "ingest queue full - export shed, retry with backoff"
      : "Ingest queue is full - retry with backoff (Retry-After: 1s).",
  );
}
