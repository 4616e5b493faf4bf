import { type signalList, signalStatus } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import type { IngestClient } from "../../ingest-client.ts";
import { readSignalsQuery, writeCursor } from "../../signals/read-signals-query.ts";
import type { SignalStore } from "../../signals/signal-store.ts";
import { showSignals } from "./show-signals.ts";

/** GET /monitor/signals (completions 9.4): last seen first. */
export function listSignals({ signals, ingest }: { signals: SignalStore; ingest: IngestClient }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { filter, page } = readSignalsQuery(call);
    // One more tells whether there are further ones.
    const [found, counts] =
      filter === null
        ? [[], new Map()]
        : await Promise.all([
            signals.list(projectId, filter, { ...page, limit: page.limit + 1 }),
            signals.countByStatus(projectId, filter),
          ]);
    const listed = found.slice(0, page.limit);
    const shown = await showSignals(
      ingest,
      projectId,
      listed.map(({ signal }) => signal),
    );
    const statusCounts = Object.fromEntries(signalStatus.options.map((status) => [status, counts.get(status) ?? 0]));
    const last = listed.at(-1);
    const body: z.input<typeof signalList> = {
      signals: page.withOccurrences ? shown : shown.map(({ occurrences: _, ...signal }) => signal),
      totalCount: (filter?.statuses ?? signalStatus.options).reduce(
        (sum, status) => sum + (counts.get(status) ?? 0),
        0,
      ),
      statusCounts: statusCounts as Record<z.infer<typeof signalStatus>, number>,
      nextCursor: found.length > listed.length && last !== undefined ? writeCursor(last.position) : null,
    };
    return { status: 200, body };
  };
}
