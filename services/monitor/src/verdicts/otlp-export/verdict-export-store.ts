import type { Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { type RegularSweep, trimRegularly } from "@touchstone/store-service";
import type { ExportedVerdict } from "./exported-verdict.ts";

/** Verdicts that a worker has taken. */
export interface TakenVerdicts {
  verdicts: ExportedVerdict[];
  /** Their positions in the queue. */
  places: string[];
  token: string;
}

/**
 * The export queue of verdicts, of all projects: there is one collector. A worker takes verdicts under a lease, so that another
 * worker sends those of a killed one. All times are PostgreSQL's.
 */
export interface VerdictExportStore {
  /** Takes up to `count` due ones, oldest first. */
  take(options: { token: string; count: number; leaseMs: number }): Promise<TakenVerdicts>;
  /** Removes sent or refused verdicts. Returns how many the worker still held. */
  remove(taken: TakenVerdicts): Promise<number>;
  /** Makes them due at once. */
  putBack(taken: TakenVerdicts): Promise<void>;
  /** The length of the queue, at most a hundred thousand. */
  countPending(): Promise<number>;
}

const pendingCountMax = 100_000;

interface Row {
  place: string;
  project_id: string;
  verdict_id: string;
  trace_id: string | null;
  otel_trace_id: string | null;
  otel_span_id: string | null;
  response_id: string | null;
  session_id: string | null;
  agent_id: string | null;
  run_id: string | null;
  scorer_kind: ExportedVerdict["scorerKind"];
  scorer_id: string;
  scorer_name: string;
  scorer_version: number | null;
  rating: number;
  threshold: number | null;
  failing: boolean | null;
  justification: string | null;
  model: string | null;
  given_at: Date;
}

/** Stores {@link VerdictExportStore} in `monitor.verdict_exports`, under the maintenance role. */
export function createVerdictExportStore(maintenance: Database): VerdictExportStore {
  return {
    async take({ token, count, leaseMs }) {
      const { rows } = await maintenance.query<Row>({
        name: "verdict_exports_take",
        text: `
          with due as (
            select place
            from monitor.verdict_exports
            where due_at <= now()
            order by place
            limit $1
            for update skip locked
          )
          update monitor.verdict_exports as taken
          set leased_by = $2,
              due_at = now() + $3 * interval '1 millisecond'
          from due
          where taken.place = due.place
          returning taken.place::text, taken.project_id, taken.verdict_id, taken.trace_id, taken.otel_trace_id,
                    taken.otel_span_id, taken.response_id, taken.session_id, taken.agent_id, taken.run_id,
                    taken.scorer_kind, taken.scorer_id, taken.scorer_name, taken.scorer_version, taken.rating,
                    taken.threshold, taken.failing, taken.justification, taken.model, taken.given_at`,
        values: [count, token, leaseMs],
      });
      const inOrder = rows.sort((one, other) => Number(one.place) - Number(other.place));
      return { verdicts: inOrder.map(readRow), places: inOrder.map(({ place }) => place), token };
    },

    async remove({ places, token }) {
      const { rowCount } = await maintenance.query({
        name: "verdict_exports_remove",
        text: `
          delete from monitor.verdict_exports
          where place = any ($1::bigint[])
            and leased_by = $2`,
        values: [places, token],
      });
      return rowCount ?? 0;
    },

    async putBack({ places, token }) {
      await maintenance.query({
        name: "verdict_exports_put_back",
        text: `
          update monitor.verdict_exports
          set leased_by = null,
              due_at = now()
          where place = any ($1::bigint[])
            and leased_by = $2`,
        values: [places, token],
      });
    },

    async countPending() {
      const { rows } = await maintenance.query<{ pending: number }>({
        name: "verdict_exports_count",
        text: `
          select count(*)::integer as pending
          from (
            select
            from monitor.verdict_exports
            limit $1
          ) as pending`,
        values: [pendingCountMax],
      });
      return rows[0]?.pending ?? 0;
    },
  };
}

function readRow(row: Row): ExportedVerdict {
  const { otel_trace_id: otelTraceId, otel_span_id: otelSpanId, response_id: responseId } = row;
  return {
    projectId: row.project_id,
    verdictId: row.verdict_id,
    traceId: row.trace_id,
    otel: otelTraceId === null || otelSpanId === null ? null : { traceId: otelTraceId, spanId: otelSpanId, responseId },
    sessionId: row.session_id,
    agentId: row.agent_id,
    runId: row.run_id,
    scorerKind: row.scorer_kind,
    scorerId: row.scorer_id,
    scorerName: row.scorer_name,
    scorerVersion: row.scorer_version,
    rating: row.rating,
    threshold: row.threshold,
    failing: row.failing,
    justification: row.justification,
    model: row.model,
    givenAt: row.given_at.toISOString(),
  };
}

const keptHours = 24;
/** A few hundred megabytes. */
const defaultWaitingMax = 500_000;

/**
 * Drops verdicts that could not be sent for a day, and the oldest if the queue is too long: a collector that was unavailable
 * for long does not receive everything.
 */
export function trimVerdictExports(options: {
  maintenance: Database;
  logger: Logger;
  /** Called with the number of dropped verdicts. */
  onDropped: (count: number) => void;
  waitingMax?: number;
}): RegularSweep {
  const { maintenance, logger, onDropped, waitingMax = defaultWaitingMax } = options;
  return trimRegularly({
    maintenance,
    logger,
    onDeleted: (count) => {
      logger.error({ count }, "verdicts that could not be exported were dropped");
      onDropped(count);
    },
    statement: (rowsAtOnce) => ({
      name: "verdict_exports_trim",
      text: `
        delete from monitor.verdict_exports
        where place in (
          select place
          from monitor.verdict_exports
          where created_at < now() - $1 * interval '1 hour'
            or place <= (select max(place) from monitor.verdict_exports) - $2
          order by place
          limit $3)`,
      values: [keptHours, waitingMax, rowsAtOnce],
    }),
  });
}
