import type { Statement } from "@touchstone/db";
import { storableText } from "@touchstone/service-kit";
import { toUuid } from "../../model/ids.ts";
import { type IncomingFragment, shortenFacts } from "../../model/incoming-fragment.ts";

/** A fragment with its project. */
export interface ProjectFragment {
  projectId: string;
  fragment: IncomingFragment;
}

/** A stored fragment that was not known. */
export interface NewFragment {
  project_id: string;
  dk: string;
  /** Null: it is found by its response. */
  trace_key: string | null;
}

/** Stores fragments and returns the new ones; a duplicate changes nothing. */
export function buildFragmentInsert(fragments: readonly ProjectFragment[]): Statement {
  const column = <Value>(read: (fragment: IncomingFragment) => Value): Value[] =>
    fragments.map(({ fragment }) => read(fragment));
  const text = `
    insert into ingest.log_fragments (project_id, dk, trace_key, span_id, response_id, time_nano, facts, body)
    select *
    from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::numeric[], $7::text[], $8::bytea[])
    order by 1, 2
    on conflict do nothing
    returning project_id, dk, trace_key`;
  return {
    name: "fragments_insert",
    text,
    values: [
      fragments.map(({ projectId }) => projectId),
      column(({ key }) => key),
      column(({ otelTraceId }) => (otelTraceId === null ? null : toUuid(otelTraceId))),
      column(({ spanId }) => spanId),
      column(({ responseId }) => (responseId === null ? null : storableText(responseId))),
      column(({ timeNano }) => timeNano.toString()),
      column((fragment) => JSON.stringify(storedFacts(fragment))),
      column(({ body }) => Buffer.from(body)),
    ],
  };
}

/** The reader of a body is stored beside its facts. */
function storedFacts({ kind, facts }: IncomingFragment): Record<string, unknown> {
  return { kind, ...shortenFacts(facts) };
}
