import type { Queryable, Statement } from "@touchstone/db";
import type { LenderDigest, LendingRow } from "../../assembly/composable.ts";
import type { ComposeLoader } from "../../assembly/compose.ts";
import { parseLossless } from "../../messages/json-text.ts";
import type { FragmentBody } from "../../model/fragment-body.ts";
import { blobHeadBytes, textBytesOf } from "../../model/span-body.ts";

/** Limits of one statement's result: rows, and bytes of bodies beyond the first. */
const sliceRowsMax = 2_000;
export const sliceBytesMax = 16 * 1024 * 1024;
/** Log records read of one span: as many as a span may have attributes. */
const spanFragmentsMax = 1_024;
const spanFragmentBytesMax = 4 * 1024 * 1024;

interface RowRecord {
  id: string;
  /** Position of the row in the request. */
  at: number;
  /** All existing rows fit into the slice. */
  is_whole: boolean;
  span_id: string | null;
  kind: string;
  has_fragments: boolean;
  body: Buffer;
}

type DigestRecord = Pick<RowRecord, "id" | "kind" | "has_fragments"> & { digest: string; head: Buffer; bytes: number };

interface FragmentRecord {
  id: string;
  /** Position of the span in the request. */
  at: number;
  time_nano: string;
  dk: string;
  body: Buffer;
  /** Fragments of this span. */
  of_span: number;
  /** Position of the last span that has fragments. */
  last_at: number;
}

/** Reads the rows that others refer to; every statement returns a bounded slice. `read` is scoped to the project. */
export function createComposeLoader(read: Queryable["query"], projectId: string): ComposeLoader {
  return {
    async *digests(ids) {
      for (let start = 0; start < ids.length; start += sliceRowsMax) {
        const asked = ids.slice(start, start + sliceRowsMax);
        yield (await read<DigestRecord>(buildDigests(projectId, asked))).rows.map(toLenderDigest);
      }
    },
    async *rows(ids) {
      let left = ids;
      while (left.length > 0) {
        const asked = left.slice(0, sliceRowsMax);
        const { rows } = await read<RowRecord>(buildRows(projectId, asked));
        yield rows.map(toLendingRow);
        const last = rows.at(-1);
        left = left.slice(last === undefined || last.is_whole ? asked.length : last.at);
      }
    },
    async *fragments(ids) {
      let left = ids;
      while (left.length > 0) {
        const asked = left.slice(0, sliceRowsMax);
        const { rows } = await read<FragmentRecord>(buildFragments(projectId, asked));
        const { whole, answered } = splitFragments(rows, asked.length);
        yield whole;
        left = left.slice(answered);
      }
    },
  };
}

function toLenderDigest({ id, kind, has_fragments: hasFragments, digest, head, bytes }: DigestRecord): LenderDigest {
  return { id, kind, hasFragments, digest, textBytes: textBytesOf(head, bytes) };
}

function buildDigests(projectId: string, ids: readonly string[]): Statement {
  const text = `
    select spans.id, spans.kind, ${hasFragments}, encode(sha256(spans.body), 'base64') as digest,
      substring(spans.body from 1 for ${blobHeadBytes}) as head, octet_length(spans.body) as bytes
    from unnest($2::uuid[]) as wanted (id)
    cross join lateral (select * from ingest.spans where project_id = $1 and spans.id = wanted.id limit 1) spans`;
  return { name: "compose_digests", text, values: [projectId, ids] };
}

/** On `ingest.spans`, under that name. */
const hasFragments = `coalesce(spans.derived like '%"hasFragments":true%', false) as has_fragments`;

function toLendingRow(record: RowRecord): LendingRow {
  return {
    id: record.id,
    spanId: record.span_id,
    kind: record.kind,
    hasFragments: record.has_fragments,
    body: record.body,
  };
}

function buildRows(projectId: string, ids: readonly string[]): Statement {
  // The sizes are known without reading the bodies: only the returned bodies are read.
  const text = `
    select at, id, span_id, kind, has_fragments, body, every as is_whole
    from (
      select wanted.at::integer, spans.id, spans.span_id, spans.kind, spans.body,
        ${hasFragments},
        sum(octet_length(spans.body)) over (order by wanted.at) <= $3 or row_number() over (order by wanted.at) = 1 as fits,
        sum(octet_length(spans.body)) over () <= $3 as every
      from unnest($2::uuid[]) with ordinality as wanted (id, at)
      cross join lateral (select * from ingest.spans where project_id = $1 and spans.id = wanted.id limit 1) spans
    ) rows
    where fits
    order by at`;
  return { name: "compose_rows", text, values: [projectId, ids, sliceBytesMax] };
}

function buildFragments(projectId: string, ids: readonly string[]): Statement {
  const text = `
    select id, at, time_nano, dk, body, of_span, last_at
    from (
      select *, count(*) over (partition by at)::integer as of_span, max(at) over () as last_at,
        sum(octet_length(body)) over (order by at, time_nano, dk) <= $3 or at = min(at) over () as fits
      from (
        select spans.id, wanted.at::integer as at, fragments.time_nano, fragments.dk, fragments.body,
          row_number() over ours as place, sum(octet_length(fragments.body)) over ours as bytes
        from unnest($2::uuid[]) with ordinality as wanted (id, at)
        cross join lateral (select * from ingest.spans where project_id = $1 and spans.id = wanted.id limit 1) spans
        join lateral (
          select time_nano, dk, body
          from ingest.log_fragments
          where project_id = $1 and trace_key = spans.trace_key and span_id = spans.span_id
          union all
          select time_nano, dk, body
          from ingest.log_fragments
          where project_id = $1 and trace_key = spans.trace_key and span_id is null and response_id = spans.response_id
          union all
          select time_nano, dk, body
          from ingest.log_fragments
          where project_id = $1 and trace_key is null and response_id = spans.response_id
        ) fragments on true
        window ours as (partition by wanted.at order by fragments.time_nano, fragments.dk)
      ) found
      where place = 1 or place <= $4 and bytes <= $5
    ) kept
    where fits
    order by at, time_nano, dk`;
  return {
    name: "compose_fragments",
    text,
    values: [projectId, ids, sliceBytesMax, spanFragmentsMax, spanFragmentBytesMax],
  };
}

/** The spans whose fragments are complete, and how many of the requested spans that covers. */
function splitFragments(
  records: readonly FragmentRecord[],
  asked: number,
): { whole: Map<string, FragmentBody[]>; answered: number } {
  const bySpan = new Map<number, FragmentRecord[]>();
  for (const record of records) {
    const list = bySpan.get(record.at);
    if (list === undefined) bySpan.set(record.at, [record]);
    else list.push(record);
  }
  const whole = new Map<string, FragmentBody[]>();
  for (const list of bySpan.values()) {
    const [first] = list as [FragmentRecord];
    if (list.length === first.of_span) whole.set(first.id, sortFragments(list));
  }
  const last = records.at(-1);
  if (last === undefined) return { whole, answered: asked };
  // The last span may be cut: the next read begins with it, and the first span is never cut.
  if (!whole.has(last.id)) return { whole, answered: last.at - 1 };
  return { whole, answered: last.at === last.last_at ? asked : last.at };
}

/** By time, then observation time and position in the export, then content. */
function sortFragments(records: readonly FragmentRecord[]): FragmentBody[] {
  const read = records.map((record) => ({ record, body: parseLossless(record.body.toString()) as FragmentBody }));
  read.sort(
    (left, right) =>
      compareNumbers(BigInt(left.record.time_nano), BigInt(right.record.time_nano)) ||
      compareNumbers(BigInt(left.body.order.observedNano), BigInt(right.body.order.observedNano)) ||
      compareNumbers(left.body.order.index, right.body.order.index) ||
      (left.record.dk < right.record.dk ? -1 : 1),
  );
  return read.map(({ body }) => body);
}

function compareNumbers<Number extends number | bigint>(left: Number, right: Number): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
