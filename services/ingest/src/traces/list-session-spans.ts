import { Readable } from "node:stream";
import type { Score } from "@touchstone/contracts";
import { gatherChunks, type Handler, requireProject, takeTurns } from "@touchstone/service-kit";
import type { ReadSpan } from "../model/read-span.ts";
import type { ScoreStore } from "../scores/score-store.ts";
import { showScore } from "../scores/show-score.ts";
import type { TraceStore } from "../trace-store/trace-store.ts";
import { showSessionSpan } from "./show-trace.ts";

/**
 * `GET /ingest/sessions/{sessionId}/spans`: every span, root or child, of a session or an OTel trace, by start
 * (completions 2.7). An unknown session has none. There is no size limit: a large session is read while it is sent, so
 * a later failure closes the connection.
 */
export function listSessionSpans({ traces, scores }: { traces: TraceStore; scores: ScoreStore }): Handler {
  return async (call) => {
    const sessionId = call.params.sessionId ?? "";
    // PostgreSQL text cannot hold NUL, so no session has such a name.
    if (sessionId.includes("\0")) return { status: 200, body: { spans: [], scores: [] } };
    const projectId = requireProject(call);
    const given = (await scores.listOfSession(projectId, sessionId)).map(showScore);
    const slices = traces.listSessionSpans(projectId, sessionId);
    const chunks = takeTurns(projectId, gatherChunks(writeSpans(slices, given)));
    const begun = [await chunks.next(), await chunks.next()].flatMap(({ value }) => value ?? []);
    if (begun.length < 2) return { status: 200, contentType: "application/json", body: Buffer.concat(begun) };
    return { status: 200, contentType: "application/json", body: Readable.from(join(begun, chunks)) };
  };
}

async function* join(
  begun: readonly Buffer[],
  chunks: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  yield* begun;
  yield* chunks;
}

const comma = Buffer.from(",");

async function* writeSpans(
  slices: AsyncIterable<ReadSpan[]>,
  scores: readonly Score[],
): AsyncGenerator<Buffer[], void, undefined> {
  yield [Buffer.from('{"spans":[')];
  let isFirst = true;
  for await (const slice of slices) {
    for (const span of slice) {
      const shown = await showSessionSpan(span);
      yield isFirst ? [...shown] : [comma, ...shown];
      isFirst = false;
    }
  }
  yield [Buffer.from(`],"scores":${JSON.stringify(scores)}}`)];
}
