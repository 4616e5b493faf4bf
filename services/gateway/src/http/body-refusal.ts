import type { IncomingHttpHeaders } from "node:http";
import type { BodyContract } from "@touchstone/contracts";
import { AppError, requireJson, requireKnownEncoding, requireNdjson } from "@touchstone/service-kit";

/** Whether the headers announce a body. */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Refuses by its headers what need not be read: a body that is too long (413), of another type or encoding (415). */
export function refuseBodyByHeaders(contract: BodyContract, headers: IncomingHttpHeaders, maxBytes: number): void {
  if (!hasBody(headers)) return;
  if (Number(headers["content-length"] ?? 0) > maxBytes) throw bodyTooLarge();
  if (contract.kind === "otlp") requireOtlp(headers["content-type"]);
  else if (contract.kind === "ndjson") requireNdjson(headers["content-type"]);
  else requireJson(headers["content-type"]);
  requireKnownEncoding(headers["content-encoding"]);
}

export function bodyTooLarge(): AppError {
  return new AppError("body_too_large", "request entity too large");
}

const protobufTypes = ["application/x-protobuf", "application/protobuf"];

/** Matched on the media type; JSON must be in UTF-8 (otlp 1, Content types). */
function requireOtlp(contentType: string | undefined): void {
  const type = (contentType ?? "").toLowerCase().split(";")[0]?.trim() ?? "";
  if (protobufTypes.includes(type)) return;
  if (type === "application/json") {
    requireJson(contentType);
    return;
  }
  throw new AppError(
    "unsupported_media_type",
    `Content-Type must be application/x-protobuf or application/json (received ${JSON.stringify((contentType ?? "none").slice(0, 100))}).`,
  );
}
