import { Readable } from "node:stream";
import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { ReadSpan, TraceStore } from "../../spans/trace-store.ts";
import { showSessionSpan } from "../../traces/show-trace.ts";

/**
 * `GET /ingest/sessions/{sessionId}/spans`: every span, root or child, of a session or an OTel trace, by start
 * (completions 2.7). An unknown session has none. A session of any size is answered: a large one is
 * read as it is sent, so a failure on the way ends the connection.
 */
export function listSessionSpans({ traces }: { traces: TraceStore }): Handler {
  return async (call) => {
    const sessionId = call.params.sessionId ?? "";
    // PostgreSQL's text holds no NUL, so no session is named with one.
    if (sessionId.includes("\0")) return { status: 200, body: { spans: [] } };
    const slices = traces.listSessionSpans(requireProject(call), sessionId)[Symbol.asyncIterator]();
    const first = await slices.next();
    const second = first.done ? first : await slices.next();
    const pieces = writeSpans([first, second], slices);
    if (!second.done) return { status: 200, contentType: "application/json", body: Readable.from(pieces) };
    const body: Buffer[] = [];
    for await (const piece of pieces) body.push(piece);
    return { status: 200, body: Buffer.concat(body) };
  };
}

/** Pieces of the answer are at least so long, but for the last: each is a write of its own, here and in the gateway. */
const pieceBytes = 256 * 1024;

async function* writeSpans(
  begun: readonly IteratorResult<ReadSpan[]>[],
  slices: AsyncIterator<ReadSpan[]>,
): AsyncGenerator<Buffer, void, undefined> {
  const comma = Buffer.from(",");
  let parts: Buffer[] = [Buffer.from('{"spans":[')];
  let bytes = 0;
  let isFirst = true;
  try {
    const [first, second] = begun as [IteratorResult<ReadSpan[]>, IteratorResult<ReadSpan[]>];
    for (let step = first; !step.done; step = step === first ? second : await slices.next()) {
      for (const span of step.value) {
        const shown = await showSessionSpan(span);
        if (!isFirst) parts.push(comma);
        isFirst = false;
        for (const piece of shown) {
          parts.push(piece);
          bytes += piece.length;
        }
        if (bytes < pieceBytes) continue;
        yield Buffer.concat(parts);
        parts = [];
        bytes = 0;
      }
    }
    yield Buffer.concat([...parts, Buffer.from("]}")]);
  } finally {
    await slices.return?.();
  }
}
