import type { Statement, Transaction } from "@touchstone/db";
import { composeInParts } from "../../assembly/compose-in-parts.ts";
import { parseDerived } from "../../assembly/plan-trace.ts";
import type { TraceKey } from "../../assembly/stored-trace.ts";
import { decodeSpanBody, readBodyMembers } from "../../model/span-body.ts";
import { otlpFlag } from "../../model/span-row.ts";
import { searchText } from "../../search/search-text.ts";
import { createComposeLoader } from "../reading/compose-store.ts";
import { keyOf } from "./read-traces.ts";

/** Traces whose roots are read by one statement. */
const tracesAtOnce = 128;

interface RootRecord {
  project_id: string;
  trace_key: string;
  id: string;
  kind: string;
  name: string;
  model: string | null;
  session_id: string | null;
  derived: string | null;
  body: Buffer;
}

/**
 * Updates the searched texts of these traces' roots after changes of log records, also of rows that they borrow from
 * (otlp 7): a record may change a root's content without changing a derived value. Call it in the transaction that
 * writes the spans and records, after them.
 */
export async function rewriteTexts(transaction: Transaction, traces: readonly TraceKey[]): Promise<void> {
  // A trace named twice would get its text twice.
  const different = [...new Map(traces.map((trace) => [keyOf(trace), trace])).values()];
  for (let start = 0; start < different.length; start += tracesAtOnce) {
    await rewriteSome(transaction, different.slice(start, start + tracesAtOnce));
  }
}

async function rewriteSome(transaction: Transaction, traces: readonly TraceKey[]): Promise<void> {
  const { rows } = await transaction.query<RootRecord>(buildRootRead(traces));
  const texts: { projectId: string; id: string; doc: string }[] = [];
  for (const projectId of new Set(rows.map(({ project_id }) => project_id))) {
    const roots = rows.filter(({ project_id }) => project_id === projectId);
    const loader = createComposeLoader((statement) => transaction.query(statement), projectId);
    const spans = roots.map((root) => ({ ...root, derived: parseDerived(root.derived) }));
    for await (const part of composeInParts(spans, loader, { metadata: false })) {
      for (const root of part) texts.push({ projectId, id: root.id, doc: await textOf(root) });
    }
  }
  if (texts.length > 0) await transaction.query(buildRewrite(texts));
}

async function textOf(root: Omit<RootRecord, "derived">): Promise<string> {
  const { input, output, error } = readBodyMembers(await decodeSpanBody(root.body));
  return searchText({
    id: root.id,
    name: root.name,
    input,
    output,
    error: error === null ? null : String(JSON.parse(error)),
    model: root.model,
    sessionId: root.session_id,
    otelTraceId: root.trace_key.replaceAll("-", ""),
  });
}

function buildRootRead(traces: readonly TraceKey[]): Statement {
  const text = `
    select spans.project_id, spans.trace_key, spans.id, spans.kind, spans.name, spans.model, spans.session_id,
      spans.derived, spans.body
    from unnest($1::uuid[], $2::uuid[]) as wanted (project_id, trace_key)
    join ingest.spans on spans.project_id = wanted.project_id and spans.trace_key = wanted.trace_key
    where spans.is_root and spans.flags & ${otlpFlag} <> 0`;
  return {
    name: "texts_read_roots",
    text,
    values: [traces.map(({ projectId }) => projectId), traces.map(({ traceKey }) => traceKey)],
  };
}

/** A changed text gets a new row. It keeps the transaction that stored the root: the live tail sends the root once. */
function buildRewrite(texts: readonly { projectId: string; id: string; doc: string }[]): Statement {
  const text = `
    with wanted as materialized (
      select * from unnest($1::uuid[], $2::uuid[], $3::text[]) as u (project_id, id, doc)
    ),
    replaced as (
      delete from ingest.search_docs docs
      using wanted
      where docs.project_id = wanted.project_id and docs.id = wanted.id and docs.doc <> wanted.doc
      returning docs.project_id, docs.id, docs.xid
    )
    insert into ingest.search_docs (project_id, id, xid, doc)
    select project_id, id, replaced.xid, wanted.doc
    from wanted
    join replaced using (project_id, id)`;
  return {
    name: "texts_rewrite",
    text,
    values: [texts.map(({ projectId }) => projectId), texts.map(({ id }) => id), texts.map(({ doc }) => doc)],
  };
}
