import type { Statement } from "@touchstone/db";
import { joinReaches, reachDk, type SpanUpdate } from "../../model/span-update.ts";
import { $spans, ofSpans, type UpdatedSpan } from "./updated-spans.ts";

/** A stored reach: the one update that widens its span. */
export interface ReachRecord {
  project_id: string;
  span_dk: string;
  time_ms: number;
  body: Buffer;
}

/** The reaches of those spans that the batch widens. */
export function buildReachRead(spans: readonly UpdatedSpan[]): Statement {
  const text = `
    select wanted.project_id, wanted.span_dk, updates.time_ms, updates.body${ofSpans}
    where updates.dk = '${reachDk}'`;
  return { name: "updates_read_reaches", text, values: $spans.values(spans.filter(isWidened), {}) };
}

/**
 * Joins what widens each span, in the batch and stored, into one update. Returns the spans that reach farther than is stored, whose
 * stored reach has to make room.
 */
export function joinReachesOf(spans: readonly UpdatedSpan[], stored: readonly ReachRecord[]): UpdatedSpan[] {
  const records = new Map(stored.map((record) => [`${record.project_id} ${record.span_dk}`, record]));
  return spans.filter(isWidened).filter((span) => {
    const [reaches = [], others = []] = [true, false].map((isReach) =>
      span.updates.filter(({ dk }) => (dk === reachDk) === isReach),
    );
    const record = records.get(`${span.projectId} ${span.dk}`);
    const [first] = reaches as [SpanUpdate];
    const before = record && { ...first, timeMs: record.time_ms, body: record.body.toString() };
    const joined = joinReaches(before === undefined ? reaches : [before, ...reaches]);
    span.updates = [...others, joined];
    return before !== undefined && (before.timeMs !== joined.timeMs || before.body !== joined.body);
  });
}

/** Removes the reaches of spans. */
export function buildReachRemoval(spans: readonly UpdatedSpan[]): Statement {
  const text = `
    delete from ingest.span_updates updates
    using unnest(${$spans.arrays}) as wanted (${$spans.names})
    where updates.project_id = wanted.project_id and updates.trace_key = wanted.trace_key
      and updates.span_id = wanted.span_id and updates.dk = '${reachDk}'`;
  return { name: "updates_remove_reaches", text, values: $spans.values(spans, {}) };
}

function isWidened({ updates }: UpdatedSpan): boolean {
  return updates.some(({ dk }) => dk === reachDk);
}
