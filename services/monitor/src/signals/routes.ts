import {
  listStretches,
  routes,
  type signal,
  type signalDetail,
  type signalFeedbackReply,
  type signalList,
  signalStatus,
  stretchesOf,
} from "@touchstone/contracts";
import {
  type Clock,
  type Handler,
  parseBody,
  readJsonObject,
  requireProject,
  type ServedRoute,
} from "@touchstone/service-kit";
import type { z } from "zod";
import type { IngestClient } from "../ingest-client.ts";
import { listSignalEvents } from "./list-signal-events.ts";
import { readSignalsQuery, writeCursor } from "./read-signals-query.ts";
import { renderSignal, signalId, signalNotFound } from "./render-signal.ts";
import type { StoredSignal } from "./signal-row-reader.ts";
import type { SignalStore } from "./signal-store.ts";

/** Routes of signals (completions 9.4); two paths triage them. */
export function signalRoutes(dependencies: {
  signals: SignalStore;
  ingest: IngestClient;
  clock: Clock;
}): ServedRoute[] {
  return [
    { route: routes.listSignals, handle: listSignals(dependencies) },
    { route: routes.getSignal, handle: getSignal(dependencies) },
    { route: routes.listSignalEvents, handle: listSignalEvents(dependencies) },
    { route: routes.updateSignal, handle: updateSignal(dependencies) },
    { route: routes.updateMonitoringSignal, handle: updateSignal(dependencies) },
    { route: routes.createSignalFeedback, handle: createSignalFeedback(dependencies) },
  ];
}

/** GET /monitor/signals (completions 9.4): last seen first. */
function listSignals({ signals, ingest }: { signals: SignalStore; ingest: IngestClient }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { filter, page } = readSignalsQuery(call);
    // One extra row shows if another page follows.
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

/** GET /monitor/signals/{signalId} (completions 9.4), with its daily counts of the last 30 days. */
function getSignal({ signals, ingest, clock }: { signals: SignalStore; ingest: IngestClient; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const stored = (await signals.find(projectId, signalId(call))) ?? signalNotFound();
    const now = clock.now();
    const [[signal = signalNotFound()], days] = await Promise.all([
      showSignals(ingest, projectId, [stored]),
      signals.countByDay(projectId, stored, stretchesOf("30d", now).since),
    ]);
    const counts = new Map(days.map(({ start, count }) => [start.getTime(), count]));
    const trend = listStretches("30d", now).map(({ start, ts }) => ({ ts, count: counts.get(start) ?? 0 }));
    const body: z.input<typeof signalDetail> = { signal, trend };
    return { status: 200, body };
  };
}

/** PATCH /monitor/signals/{signalId} (completions 9.4): triage; changes only the members that were sent. */
function updateSignal({ signals, ingest }: { signals: SignalStore; ingest: IngestClient }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const change = parseBody((await readJsonObject(call)).value, routes.updateSignal.body);
    const id = signalId(call);
    if (!(await signals.change(projectId, id, change))) signalNotFound();
    const stored = (await signals.find(projectId, id)) ?? signalNotFound();
    const [signal] = await showSignals(ingest, projectId, [stored]);
    return { status: 200, body: { signal } };
  };
}

/** POST /agent-monitoring/signals/{signalId}/feedback (completions 9.4). */
function createSignalFeedback({ signals }: { signals: SignalStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const sent = parseBody((await readJsonObject(call)).value, routes.createSignalFeedback.body);
    const wishes = {
      metric: sent.metric,
      rationale: sent.rationale,
      occurrenceId: sent.occurrenceId ?? null,
      originalScore: sent.originalScore ?? null,
      correctedScore: sent.correctedScore ?? null,
      queuedForAutotune: sent.queuedForAutotune ?? false,
    };
    const stored = (await signals.addFeedback(projectId, { signalId: signalId(call), ...wishes })) ?? signalNotFound();
    const { id, createdAt, ...shown } = stored;
    const body: z.input<typeof signalFeedbackReply> = {
      feedback: { _id: id, ...shown, createdAt: createdAt.toISOString() },
    };
    return { status: 201, body };
  };
}

/** Signals with the names of their agents, from ingest. */
async function showSignals(
  ingest: Pick<IngestClient, "findAgents">,
  projectId: string,
  signals: readonly StoredSignal[],
): Promise<z.input<typeof signal>[]> {
  const ids = [...new Set(signals.flatMap(({ agentId }) => (agentId === null ? [] : [agentId])))];
  const agents = ids.length === 0 ? [] : await ingest.findAgents(projectId, ids);
  const names = new Map(agents.map(({ id, name }) => [id, name]));
  return signals.map((each) => renderSignal(each, names));
}
