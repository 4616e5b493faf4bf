import { type Handler, type OtlpEncoding, readOtlpEncoding } from "@touchstone/service-kit";
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
    const encoding = readOtlpEncoding(call.headers["content-type"]);
    return budget.hold(call, async (body, holdRows) => {
      const { contentType, body: reply } = await answer({ projectId, body, encoding, holdRows });
      return { status: 200, contentType, body: reply };
    });
  };
}
