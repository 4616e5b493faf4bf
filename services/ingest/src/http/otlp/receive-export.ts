import { AppError, type Handler, requireJson } from "@touchstone/service-kit";
import type { OtlpEncoding } from "../../otlp/decode-trace-export.ts";
import type { EncodedReply } from "../../otlp/encode-reply.ts";
import { requireProject } from "../require-project.ts";
import type { InflightBudget } from "./inflight-budget.ts";

/** One export, out of its content encoding. */
export interface ReceivedExport {
  projectId: string;
  body: Buffer;
  encoding: OtlpEncoding;
  /** See {@link InflightBudget}. */
  holdRows(rows: number): void;
}

/**
 * What the OTLP routes have in common (otlp 1, 2): content types, the bound on bodies in hand, and an answer in the
 * encoding of the request.
 */
export function receiveExport(
  { budget }: { budget: InflightBudget },
  answer: (received: ReceivedExport) => Promise<EncodedReply>,
): Handler {
  return async (call) => {
    const projectId = requireProject(call.identity);
    const encoding = readEncoding(call.headers["content-type"]);
    return budget.hold(call, async (body, holdRows) => {
      const { contentType, body: reply } = await answer({ projectId, body, encoding, holdRows });
      return { status: 200, contentType, body: reply };
    });
  };
}

/** Matched on the media type alone; only JSON has a charset that matters (otlp 1, Content types). */
function readEncoding(contentType: string | undefined): OtlpEncoding {
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
