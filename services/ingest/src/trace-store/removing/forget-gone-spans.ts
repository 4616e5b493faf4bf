import type { Statement, Transaction } from "@touchstone/db";
import { dependentRemovals } from "./dependent-removals.ts";
import { settleTraces, traceKeysOf, tracesLock } from "./trace-settling.ts";

/** A row of a detached week of spans. */
export interface GoneRow {
  project_id: string;
  id: string;
  dk: string | null;
  trace_key: string | null;
  span_id: string | null;
  otel_key: string | null;
  response_id: string | null;
}

/** Removes the dependent rows of spans of one project whose own rows go with their week. */
export async function forgetGoneSpans(
  transaction: Transaction,
  projectId: string,
  rows: readonly GoneRow[],
): Promise<void> {
  const traceKeys = traceKeysOf(rows);
  await transaction.query(tracesLock(projectId, traceKeys));
  await transaction.query(buildGoneRemoval(projectId, rows));
  await settleTraces(transaction, projectId, traceKeys);
}

/** An identity that was reused since the week was detached names another row and stays. */
function buildGoneRemoval(projectId: string, rows: readonly GoneRow[]): Statement {
  const traceNames = rows.map(({ id }) => id.replaceAll("-", ""));
  // A score names a span by its own id or by that of its row.
  const spanNames = rows.flatMap(({ id, span_id, otel_key }) => [
    ...(span_id === null ? [] : [{ name: span_id, traceKey: otel_key }]),
    { name: id, traceKey: null },
  ]);
  return {
    name: "gone_spans_forget",
    text: `
      with forgotten as (
        delete from ingest.span_keys
        where project_id = $1 and dk = any($3::uuid[]) and id = any($2::uuid[])
      ),
      undocumented as (
        delete from ingest.search_docs
        where project_id = $1 and id = any($2::uuid[])
      ),
      not_awaiting as (
        delete from ingest.awaited_parents
        where project_id = $1 and child_id = any($2::uuid[])
      ),
      not_judged as (
        delete from ingest.trace_verdicts
        where project_id = $1 and trace_id = any($2::uuid[])
      ),
      ${dependentRemovals({
        traces: "select * from unnest($5::text[]) as gone (trace_key)",
        spans: "select * from unnest($6::text[], $7::text[]) as gone (span_id, trace_key)",
      })}
      delete from ingest.log_fragments
      where project_id = $1 and trace_key is null and response_id = any($4::text[])`,
    values: [
      projectId,
      rows.map(({ id }) => id),
      rows.map(({ dk }) => dk),
      rows.map(({ response_id }) => response_id).filter((id) => id !== null),
      traceNames,
      spanNames.map(({ name }) => name),
      spanNames.map(({ traceKey }) => traceKey),
    ],
  };
}
