import type { Statement } from "@touchstone/db";
import { toUuid } from "./hash-uuid.ts";
import { otlpFlag } from "./span-row.ts";
import { narrowColumns } from "./span-select.ts";
import type { RootQuery } from "./trace-store.ts";

/**
 * One page of roots, newest first, with one row more than asked for when there is a next page (it has no body), and on
 * each row the exact number of roots that match: both are of one snapshot, because it is one statement. Without any root
 * there is still one row: the total.
 */
export function buildRootList(query: RootQuery): Statement {
  return query.pattern === null ? buildFilteredList(query) : buildSearchedList(query);
}

function buildFilteredList(query: RootQuery): Statement {
  const values: unknown[] = [query.projectId, query.limit];
  const conditions = listConditions(query, values);
  // The counters know framework and source; what else narrows the list is counted in the rows.
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
  const text = `
    with page as (
      select ${narrowColumns},
        case when row_number() over (order by id desc) <= $2 then body end as body
      from ingest.spans
      where project_id = $1 and is_root${matching}${before}
      order by id desc
      limit $2 + 1
    )
    select counts.total, page.*
    from (
      ${total}
    ) counts
    left join page on true
    order by page.id desc`;
  const names = conditions.map(({ name }) => `_${name}`).join("");
  return { name: `roots_list${names}${query.before === null ? "" : "_before"}`, text, values };
}

/** Roots by their ids. */
export function buildRootsRead(projectId: string, ids: readonly string[]): Statement {
  const text = `
    select ${narrowColumns}, body
    from unnest($2::uuid[]) as wanted (wanted_id)
    join ingest.spans on spans.project_id = $1 and spans.id = wanted.wanted_id
    where is_root`;
  return { name: "roots_read", text, values: [projectId, ids] };
}

interface Condition {
  name: string;
  /** Of `ingest.spans`. */
  text: string;
  /** The same of `ingest.root_counts`; null where they do not tell. */
  counted: string | null;
}

/** Adds the parameters to `values`. */
function listConditions(query: RootQuery, values: unknown[]): Condition[] {
  const conditions: Condition[] = [];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const add = (name: string, text: string, counted: string | null = null): void => {
    conditions.push({ name, text, counted });
  };
  if (query.framework !== null) {
    const equals = `framework = ${parameter(query.framework)}`;
    add("framework", equals, equals);
  }
  if (query.source === "eval") add("eval", "source = 'eval-run'", "source = 'eval-run'");
  if (query.source === "production") add("production", "source is null", "source = ''");
  if (query.agentId !== null) add("agent", `agent_id = ${parameter(query.agentId)}`);
  if (query.model !== null) add("model", `model = ${parameter(query.model)}`);
  if (query.hasError !== null)
    add(query.hasError ? "error" : "no_error", query.hasError ? "has_error" : "not has_error");
  if (query.sessionId !== null) {
    const traceKey = traceNamed(query.sessionId);
    const session = `session_id = ${parameter(query.sessionId)}`;
    if (traceKey === null) add("session", session);
    else {
      const byTrace = `session_id is null and trace_key = ${parameter(traceKey)} and flags & ${otlpFlag} <> 0`;
      add("session_or_trace", `(${session} or ${byTrace})`);
    }
  }
  if (query.fromMs !== null) add("from", `id >= ${parameter(firstIdOf(query.fromMs))}`);
  if (query.toMs !== null) add("to", `id < ${parameter(firstIdOf(query.toMs))}`);
  return conditions;
}

function buildSearchedList(query: RootQuery): Statement {
  const source = { production: "", eval: "eval-run", all: null }[query.source];
  const text = `
    select found.total, page.*
    from ingest.find_roots($3, $4, $2 + 1, $5, $6, $7, $8, $9, $10, $11, $12, $13) found
    left join lateral (
      select ${narrowColumns},
        case when row_number() over (order by id desc) <= $2 then body end as body
      from unnest(found.ids) as hit (hit_id)
      join ingest.spans on spans.project_id = $1 and spans.id = hit.hit_id
    ) page on true
    order by page.id desc`;
  const values = [
    query.projectId,
    query.limit,
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
  ];
  return { name: "roots_search", text, values };
}

/** A session may be named by the 32 hexadecimal digits of an OTel trace. */
function traceNamed(sessionId: string): string | null {
  return /^[0-9a-f]{32}$/i.test(sessionId) ? toUuid(sessionId.toLowerCase()) : null;
}

/** The least id of an instant or after it; ids hold the whole milliseconds of their `createdAt`. */
function firstIdOf(atMs: number): string {
  const wholeMs = Math.min(Math.max(Math.ceil(atMs), 0), 2 ** 48 - 1);
  return toUuid(wholeMs.toString(16).padStart(12, "0").padEnd(32, "0"));
}
