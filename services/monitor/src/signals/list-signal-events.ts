import type { signalEvents } from "@touchstone/contracts";
import { type Handler, readParameter, requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import type { IngestClient } from "../ingest-client.ts";
import { previewOf } from "../model/finding.ts";
import { readCappedCount, readPeriod } from "../model/read-page.ts";
import { readPosition, writeCursor } from "./read-signals-query.ts";
import { signalId, signalNotFound } from "./render-signal.ts";
import type { SignalStore } from "./signal-store.ts";

/** GET /monitor/signals/{signalId}/events (completions 9.4): with the question and the answer. */
export function listSignalEvents({
  signals,
  ingest,
}: {
  signals: Pick<SignalStore, "find" | "listSeen">;
  ingest: Pick<IngestClient, "readTrace">;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const cursor = readParameter(call.query, "cursor");
    const limit = readCappedCount("limit", call.query.limit);
    const after = cursor === null ? null : readPosition(cursor);
    const period = readPeriod(call);
    const stored = (await signals.find(projectId, signalId(call))) ?? signalNotFound();
    // One extra row shows if another page follows.
    const { total, events } = await signals.listSeen(projectId, stored, { ...period, limit: limit + 1, after });
    const listed = events.slice(0, limit);
    const last = events.length > listed.length ? listed.at(-1) : undefined;
    const body: z.input<typeof signalEvents> = {
      totalCount: total,
      events: await Promise.all(
        listed.map(async ({ event: { seenAt, ...event } }) => {
          const trace = event.traceId === null ? null : await ingest.readTrace(projectId, event.traceId);
          return {
            ...event,
            seenAt: seenAt.toISOString(),
            input: previewOf(trace?.input ?? null),
            output: previewOf(trace?.output ?? null),
          };
        }),
      ),
      hasNextPage: last !== undefined,
      nextCursor: last === undefined ? null : writeCursor(last.position),
    };
    return { status: 200, body };
  };
}
