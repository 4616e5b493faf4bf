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

/** One export without its content encoding. */
export interface ReceivedExport {
  projectId: string;
  body: Buffer;
  encoding: OtlpEncoding;
  /** Reports the number of held spans or records. Throws `queue_full` if it exceeds the limit. */
  holdRows(rows: number): void;
}

/** The reply, with the number of rejected spans or records for the gateway. */
type ExportAnswer = EncodedReply & { rejected: ReportedOutcome | null };

/** Memory of a decoded span or record, without its body: one to two kilobytes. */
const rowBytes = 2048;

/** Larger exports are a commit by themselves, or nearly. */
const largeBytes = 4 * 1024 * 1024;

/**
 * Common code of the OTLP routes (otlp 1, 2): content types, turns for large exports, and a reply in the encoding of
 * the request.
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
    // Inflation waits for its turn too: until then only the compressed body is in memory.
    if (call.rawBody.length > largeBytes) return turns.take(tenant, async () => work(await call.body()));
    const body = await call.body();
    return body.length > largeBytes ? turns.take(tenant, () => work(body)) : work(body);
  };
}
