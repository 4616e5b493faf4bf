import type { IncomingHttpHeaders } from "node:http";
import type { BodyContract } from "@touchstone/contracts";
import {
  bodyTooLarge,
  readOtlpEncoding,
  readRowsType,
  requireJson,
  requireKnownEncoding,
  requireNdjson,
} from "@touchstone/service-kit";

/** True if the headers announce a body. */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Refuses by its headers a body that is too long (413) or of another type or encoding (415), without reading it. */
export function refuseBodyByHeaders(contract: BodyContract, headers: IncomingHttpHeaders, maxBytes: number): void {
  if (!hasBody(headers)) return;
  if (Number(headers["content-length"] ?? 0) > maxBytes) throw bodyTooLarge();
  if (contract.kind === "otlp") readOtlpEncoding(headers["content-type"]);
  else if (contract.kind === "ndjson") requireNdjson(headers["content-type"]);
  else if (contract.kind === "rows") readRowsType(headers["content-type"]);
  else if (contract.kind !== "bytes") requireJson(headers["content-type"]);
  requireKnownEncoding(headers["content-encoding"]);
}
