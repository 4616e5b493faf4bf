import type { ReportedOutcome } from "@touchstone/contracts";
import {
  type Answer,
  type Handler,
  type OtlpEncoding,
  readOtlpEncoding,
  requireProject,
} from "@touchstone/service-kit";
import { outcomeHeaders } from "../recording/report-outcome.ts";
import type { EncodedReply } from "./encode-reply.ts";
import type { LargeTurns } from "./large-turns.ts";

/** One export, out of its content encoding. */
export interface ReceivedExport {
  projectId: string;
  body: Buffer;
  encoding: OtlpEncoding;
  /** Says how many decoded spans or records are in hand. Throws `queue_full` when there is no room for them. */
  holdRows(rows: number): void;
}

/** The reply, and for the gateway the count of spans or records that were rejected. */
type ExportAnswer = EncodedReply & { rejected: ReportedOutcome | null };

/** What a decoded span or record takes, beside its body: one to two kilobytes. */
const rowBytes = 2048;

/** From here on an export is a commit of its own, or nearly. */
const largeBytes = 4 * 1024 * 1024;

/**
 * What the OTLP routes have in common (otlp 1, 2): content types, turns for large exports, and an answer in the encoding
 * of the request.
 */
export function receiveExport(
  { turns }: { turns: LargeTurns },
  answer: (received: ReceivedExport) => Promise<ExportAnswer>,
): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const tenant = { projectId, organizationId: call.identity.organizationId };
    const encoding = readOtlpEncoding(call.headers["content-type"]);
    let held = 0;
    const holdRows = (rows: number): void => {
      call.hold((rows - held) * rowBytes);
      held = rows;
    };
    const work = async (body: Buffer): Promise<Answer> => {
      const { contentType, body: reply, rejected } = await answer({ projectId, body, encoding, holdRows });
      return { status: 200, contentType, body: reply, headers: outcomeHeaders(rejected) };
    };
    // Inflated in its turn, too: until then it holds what came over the wire.
    if (call.rawBody.length > largeBytes) return turns.take(tenant, async () => work(await call.body()));
    const body = await call.body();
    return body.length > largeBytes ? turns.take(tenant, () => work(body)) : work(body);
  };
}
