import type { SettledTrace } from "@touchstone/contracts";
import type { Queryable } from "@touchstone/db";
import { uuidv7 } from "@touchstone/service-kit";
import { isWatched } from "../model/sampling.ts";
import { classifyOperationally } from "./classify.ts";

/**
 * Records an event for each operational failure of settled traces (completions 9.3). If a trace grew and settles again, the
 * newest state counts; a fresh one, settling for the first time, has no events yet.
 */
export async function recordOperational(
  transaction: Queryable,
  traces: readonly SettledTrace[],
  isFresh: (trace: SettledTrace) => boolean,
): Promise<void> {
  const newest = new Map(
    traces.filter(isWatched).map((trace) => [`${trace.projectId} ${trace.traceId}`, trace] as const),
  );
  const events = [...newest.values()].flatMap((trace) =>
    classifyOperationally(trace).events.map((event) => ({ trace, ...event })),
  );
  const grown = [...newest.values()].filter((trace) => !isFresh(trace));
  if (grown.length > 0) await forgetEvents(transaction, grown, events);
  if (events.length === 0) return;
  await transaction.query({
    name: "events_record_operational",
    text: `
      insert into monitor.events
        (project_id, id, pattern_key, kind, polarity, severity, agent_id, trace_id, session_id, justification, created_at)
      select project_id, id, pattern_key, 'operational', 'failure', severity, agent_id, trace_id, session_id, justification,
             created_at
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::uuid[], $7::text[], $8::text[],
                  $9::timestamptz[])
        as found (project_id, id, pattern_key, severity, agent_id, trace_id, session_id, justification, created_at)
      on conflict do nothing`,
    values: [
      events.map(({ trace }) => trace.projectId),
      events.map(({ trace }) => uuidv7(Date.parse(trace.createdAt))),
      events.map(({ patternKey }) => patternKey),
      events.map(({ severity }) => severity),
      events.map(({ trace }) => trace.agentId),
      events.map(({ trace }) => trace.traceId),
      events.map(({ trace }) => trace.sessionId),
      events.map(({ justification }) => justification),
      events.map(({ trace }) => trace.createdAt),
    ],
  });
}

type Found = { trace: SettledTrace; patternKey: string };

/** Removes earlier events of these traces that no longer apply. */
async function forgetEvents(
  transaction: Queryable,
  grown: readonly SettledTrace[],
  events: readonly Found[],
): Promise<void> {
  await transaction.query({
    name: "events_forget_operational",
    text: `
      delete from monitor.events
      using unnest($1::uuid[], $2::uuid[]) as grown (project_id, trace_id)
      where events.project_id = grown.project_id
        and events.trace_id = grown.trace_id
        and events.kind = 'operational'
        and not exists (
          select from unnest($3::uuid[], $4::text[]) as kept (trace_id, pattern_key)
          where kept.trace_id = events.trace_id and kept.pattern_key = events.pattern_key
        )`,
    values: [
      grown.map(({ projectId }) => projectId),
      grown.map(({ traceId }) => traceId),
      events.map(({ trace }) => trace.traceId),
      events.map(({ patternKey }) => patternKey),
    ],
  });
}
