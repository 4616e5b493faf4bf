import { AppError } from "./app-error.ts";
import { requireJson } from "./call.ts";

/** The encoding of an OTLP export. */
export type OtlpEncoding = "protobuf" | "json";

/**
 * Reads the encoding from a `Content-Type`: only the media type counts, and JSON must be in UTF-8. Anything else is
 * 415, never an empty success: a wrong type treated as an empty export would lose data silently (otlp 1, Content
 * types).
 */
export function readOtlpEncoding(contentType: string | undefined): OtlpEncoding {
  const type = (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type === "application/x-protobuf" || type === "application/protobuf") return "protobuf";
  if (type === "application/json") {
    requireJson(contentType);
    return "json";
  }
  throw new AppError(
    "unsupported_media_type",
    `OTLP/HTTP requires Content-Type: application/x-protobuf or application/json (received ${JSON.stringify(type.slice(0, 100) || "none")})`,
  );
}
