import { redeliveryMaxDays } from "@touchstone/bus";
import { isStorable, type StoredTrace } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { type RegularSweep, trimRegularly } from "@touchstone/store-service";

/** The traces that monitor has seen. */
export interface SeenTraceStore {
  /** Records traces of any projects; a recorded trace stays unchanged, and those of deleted projects are skipped. */
  recordTraces(traces: readonly StoredTrace[]): Promise<void>;
}

/** Stores {@link SeenTraceStore} in `monitor.seen_traces`, under the maintenance role: an event spans projects. */
export function createSeenTraceStore(maintenance: Database): SeenTraceStore {
  return {
    async recordTraces(traces) {
      await maintenance.query({
        // One row per trace, however often its event arrives: the primary key makes a redelivery harmless.
        name: "seen_traces_record",
        text: `
          insert into monitor.seen_traces
            (project_id, trace_id, agent_id, name, created_at, traffic_source, monitor, pattern_ids)
          select project_id, trace_id, agent_id, name, created_at, traffic_source, monitor,
                 case when pattern_ids is null then null
                      else array(select json_array_elements_text(pattern_ids)) end
          from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::timestamptz[], $6::text[], $7::bool[], $8::json[])
            as seen(project_id, trace_id, agent_id, name, created_at, traffic_source, monitor, pattern_ids)
          where not exists (
            select from monitor.deleted_projects where deleted_projects.project_id = seen.project_id
          )
          -- In the order in which settled traces are recorded: two events with the same traces wait for each other in turn.
          order by project_id, trace_id
          on conflict (project_id, trace_id) do nothing`,
        values: [
          traces.map((trace) => trace.projectId),
          traces.map((trace) => trace.traceId),
          traces.map((trace) => trace.agentId),
          traces.map((trace) => trace.name),
          traces.map((trace) => trace.createdAt),
          traces.map((trace) => trace.trafficSource),
          traces.map((trace) => trace.monitor),
          traces.map(writePatternIds),
        ],
      });
    },
  };
}

/**
 * The pattern ids of a trace as JSON. An id that PostgreSQL cannot store is left out: no pattern has it. If none
 * remains, the list is empty, because null means all patterns.
 */
export function writePatternIds({ patternIds }: Pick<StoredTrace, "patternIds">): string | null {
  return patternIds === null ? null : JSON.stringify(patternIds.filter(isStorable));
}

/** The longest window of the dashboard is 30 days, and is compared with the previous 30. */
const shownDays = 60;

/** A row makes a redelivered event harmless, and is counted by the dashboard; after this it is not needed. */
export const seenTraceDays = Math.max(redeliveryMaxDays + 5, shownDays + 1);

/**
 * Deletes rows of traces whose event cannot be redelivered, because the bus deleted it days ago, and that no window shows.
 */
export function trimSeenTraces({ maintenance, logger }: { maintenance: Database; logger: Logger }): RegularSweep {
  return trimRegularly({
    maintenance,
    logger,
    statement: (rowsAtOnce) => ({
      name: "seen_traces_trim",
      text: `
        delete from monitor.seen_traces
        where (project_id, trace_id) in (
          select project_id, trace_id
          from monitor.seen_traces
          where seen_at < now() - $1 * interval '1 day'
          order by seen_at
          limit $2)`,
      values: [seenTraceDays, rowsAtOnce],
    }),
  });
}
