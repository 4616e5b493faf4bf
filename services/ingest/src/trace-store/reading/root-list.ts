import { limits } from "@touchstone/contracts";
import type { Statement } from "@touchstone/db";
import type { RootFilter } from "../../model/root-filter.ts";
import { blobHeadBytes } from "../../model/span-body.ts";
import type { SearchCandidates } from "../../search/search-candidate-reader.ts";
import type { RootQuery } from "../trace-store.ts";
import { conditionsOnHits, firstIdOf, rootConditions, traceNamed } from "./root-conditions.ts";
import { narrowColumns, type SpanRecord, verdictColumn } from "./span-select.ts";

/** Shorter bodies come with their rows: a digest would save nothing. */
const digestedFromBytes = 1024;

/** The limit of search hits that are counted after another filter: their ids are in memory at once. */
export const countedHitsMax = 500_000;

/** Which bodies come with their rows; the others have only their digest. */
export type ListedWhole = "short" | "all";

/** A row of a list. */
export interface RootRecord extends Omit<SpanRecord, "body"> {
  /** Over all pages. */
  total: string;
  /** Null also for the row whose body would exceed the page's limit of bytes: the page ends there. */
  body: Buffer | null;
  /** SHA-256, base64. */
  digest: string | null;
  /** The beginning of a body with a digest, and the body's size. */
  head: Buffer | null;
  bytes: number | null;
}

/**
 * One page of roots, newest first, plus one row without a body if there is a next page. Each row has the exact number
 * of matching roots; both are of one snapshot, because it is one statement. Without any root there is one row with the
 * total. A query with a pattern needs the candidates of its search.
 */
export function buildRootList(query: RootQuery, whole: ListedWhole, candidates: SearchCandidates | null): Statement {
  const { name, ...list } =
    candidates === null
      ? buildFilteredList(query, whole)
      : query.usedModel === null && query.hasModel === null
        ? buildSearchedList(query, whole, candidates)
        : buildNarrowedSearch(query, whole, candidates);
  return { name: whole === "all" ? `${name}_whole` : name, ...list };
}

/** On `ingest.spans` in the order of the page, whose length is the second parameter. */
function bodyColumns(whole: ListedWhole): string {
  const isShown = "row_number() over (order by id desc) <= $2";
  if (whole === "all") {
    const fits = `sum(octet_length(body)) over (order by id desc) <= ${limits.listBytesMax} or row_number() over (order by id desc) = 1`;
    return `case when ${isShown} and (${fits}) then body end as body, null as digest, null as head, null as bytes`;
  }
  const isShort = `octet_length(body) < ${digestedFromBytes}`;
  const isDigested = `${isShown} and not ${isShort}`;
  return `case when ${isShown} and ${isShort} then body end as body,
        case when ${isDigested} then encode(sha256(body), 'base64') end as digest,
        case when ${isDigested} then substring(body from 1 for ${blobHeadBytes}) end as head,
        case when ${isDigested} then octet_length(body) end as bytes`;
}

function buildFilteredList(query: RootQuery, whole: ListedWhole): Statement {
  const values: unknown[] = [query.projectId, query.limit];
  const conditions = rootConditions(query, values);
  // The counters have framework and source; other filters count rows.
  const isCounted = conditions.every(({ counted }) => counted !== null);
  const matching = conditions.map(({ text }) => ` and ${text}`).join("");
  const total = isCounted
    ? `select coalesce(sum(n), 0) as total
      from ingest.root_counts
      where project_id = $1${conditions.map(({ counted }) => ` and ${counted}`).join("")}`
    : `select count(*) as total
      from ingest.spans
      where project_id = $1 and is_root${matching}`;
  const before = query.before === null ? "" : ` and id < $${values.push(query.before)}`;
  const isSparse = conditions.some((condition) => condition.isSparse);
  const found = isSparse
    ? `(
        select id as found_id
        from ingest.spans
        where project_id = $1 and is_root${matching}${before}
        order by id desc
        limit $2 + 1
      ) found
      cross join lateral (
        select * from ingest.spans where project_id = $1 and id = found.found_id limit 1
      ) spans`
    : `ingest.spans
      where project_id = $1 and is_root${matching}${before}`;
  const text = `
    with page as (
      select ${narrowColumns},
        ${bodyColumns(whole)}
      from ${found}
      order by id desc
      limit $2 + 1
    )
    select counts.total, shown.*, ${verdictColumn}
    from (
      ${total}
    ) counts
    left join page shown on true
    order by shown.id desc`;
  const names = conditions.map(({ name }) => `_${name}`).join("");
  return { name: `roots_list${names}${query.before === null ? "" : "_before"}`, text, values };
}

/** A root of a slice, and whether further requested roots remain. */
export interface RootSliceRecord extends SpanRecord {
  place: number;
  is_whole: boolean;
}

/** Roots by their ids, as far as their bodies fit into a slice; the first always does. */
export function buildRootsRead(projectId: string, ids: readonly string[]): Statement {
  const text = `
    select shown.*, ${verdictColumn}
    from (
      select ${narrowColumns}, body, place::integer,
        sum(octet_length(body)) over (order by place) <= $3 or row_number() over (order by place) = 1 as fits,
        sum(octet_length(body)) over () <= $3 as is_whole
      from unnest($2::uuid[]) with ordinality as wanted (wanted_id, place)
      join ingest.spans on spans.project_id = $1 and spans.id = wanted.wanted_id
      where is_root
    ) shown
    where fits
    order by place`;
  return { name: "roots_read", text, values: [projectId, ids, limits.listBytesMax] };
}

/** Selects the ids of these roots that match a filter. */
export function buildRootMatch(projectId: string, filter: RootFilter, ids: readonly string[]): Statement {
  const values: unknown[] = [projectId, ids];
  const conditions = rootConditions(filter, values);
  const searched =
    filter.pattern === null
      ? ""
      : `
      and exists (
        select
        from ingest.search_docs docs
        where docs.project_id = $1 and docs.id = spans.id and docs.doc like $${values.push(filter.pattern)}
        offset 0
      )`;
  const text = `
    select spans.id
    from unnest($2::uuid[]) as wanted (wanted_id)
    cross join lateral (
      select * from ingest.spans where project_id = $1 and id = wanted.wanted_id limit 1
    ) spans
    where is_root${conditions.map((condition) => ` and ${condition.text}`).join("")}${searched}`;
  const names = conditions.map(({ name }) => `_${name}`).join("");
  return { name: `roots_match${names}${searched === "" ? "" : "_searched"}`, text, values };
}

function buildSearchedList(query: RootQuery, whole: ListedWhole, candidates: SearchCandidates): Statement {
  const text = `
    select found.total, shown.*, ${verdictColumn}
    from ingest.find_roots($3, $4, $2 + 1, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22) found
    left join lateral (
      select ${narrowColumns},
        ${bodyColumns(whole)}
      from unnest(found.ids) as hit (hit_id)
      join ingest.spans on spans.project_id = $1 and spans.id = hit.hit_id
    ) shown on true
    order by shown.id desc`;
  const values = [query.projectId, query.limit, ...searchArguments(query, candidates)];
  return { name: "roots_search", text, values };
}

/** The hits of a search that match filters which the search itself does not know: they are counted after it. */
function buildNarrowedSearch(query: RootQuery, whole: ListedWhole, candidates: SearchCandidates): Statement {
  const values: unknown[] = [query.projectId, query.limit];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const [pattern, , ...filters] = searchArguments(query, candidates);
  const found = [parameter(pattern), "null", countedHitsMax, ...filters.map(parameter)].join(", ");
  const before = query.before === null ? "" : ` where id < ${parameter(query.before)}`;
  const conditions = conditionsOnHits("hit.id", query, parameter);
  const text = `
    with found as materialized (
      select hit.id
      from ingest.find_roots(${found}) found
      cross join lateral unnest(found.ids) as hit (id)
      where ${conditions.map(({ text }) => text).join(" and ")}
    )
    select counts.total, shown.*, ${verdictColumn}
    from (select count(*) as total from found) as counts
    left join lateral (
      select ${narrowColumns},
        ${bodyColumns(whole)}
      from (select id as hit_id from found${before} order by id desc limit $2 + 1) as hit
      join ingest.spans on spans.project_id = $1 and spans.id = hit.hit_id
    ) shown on true
    order by shown.id desc`;
  const names = conditions.map(({ name }) => `_${name}`).join("");
  return { name: `roots_search${names}${query.before === null ? "" : "_before"}`, text, values };
}

/** The arguments of `ingest.find_roots` in their order, except the third, the limit of ids. */
export function searchArguments(
  query: RootFilter & { before: string | null },
  candidates: SearchCandidates,
): unknown[] {
  const source = { production: "", eval: "eval-run", all: null }[query.source];
  return [
    query.pattern,
    query.before,
    query.fromMs === null ? null : firstIdOf(query.fromMs),
    query.toMs === null ? null : firstIdOf(query.toMs),
    query.framework,
    source,
    query.agentId,
    query.sessionId,
    query.sessionId === null ? null : traceNamed(query.sessionId),
    query.model,
    query.hasError,
    query.latencyMinMs,
    query.ratingMin,
    query.ratingMax,
    query.isFailing,
    candidates.numbers,
    candidates.beyond,
    query.prompt?.name ?? null,
    query.prompt?.version ?? null,
    query.isToolFailing,
  ];
}
