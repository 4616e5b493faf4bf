import { toUuid } from "../../model/ids.ts";
import type { RootFilter } from "../../model/root-filter.ts";
import { otlpFlag } from "../../model/span-row.ts";
import { rootsThatUsed } from "./used-model.ts";

/** The traces whose failure is that of a tool; `is_failing` narrows them to the rows of an index. */
const toolFailing =
  "select trace_id from ingest.trace_verdicts where project_id = $1 and is_failing and starts_with(failure, 'agent-tool-failure:')";

/** One condition. */
export interface RootCondition {
  name: string;
  /** On `ingest.spans`. */
  text: string;
  /** The same on `ingest.root_counts`; null if they do not have the column. */
  counted: string | null;
  /** No index leads to the matching roots, which may be rare: they are found without reading rows. */
  isSparse: boolean;
}

/** The conditions of a filter, without its pattern. Adds the parameters to `values`; `$1` is the project. */
export function rootConditions(query: Omit<RootFilter, "pattern">, values: unknown[]): RootCondition[] {
  const conditions: RootCondition[] = [];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const add = (name: string, text: string, counted: string | null = null): void => {
    conditions.push({ name, text, counted, isSparse: false });
  };
  const addSparse = (name: string, text: string): void => {
    conditions.push({ name, text, counted: null, isSparse: true });
  };
  if (query.framework !== null) {
    const equals = `framework = ${parameter(query.framework)}`;
    add("framework", equals, equals);
  }
  if (query.source === "eval") add("eval", "source = 'eval-run'", "source = 'eval-run'");
  if (query.source === "production") add("production", "source is null", "source = ''");
  if (query.agentId !== null) add("agent", `agent_id = ${parameter(query.agentId)}`);
  if (query.model !== null) add("model", `model = ${parameter(query.model)}`);
  if (query.hasModel !== null) {
    add(query.hasModel ? "has_model" : "no_model", `model is ${query.hasModel ? "not " : ""}null`);
  }
  if (query.usedModel !== null) {
    const bounds = [query.fromMs === null ? "" : "_since", query.toMs === null ? "" : "_until"].join("");
    addSparse(`used${bounds}`, usesModel("id", query.usedModel, query, parameter));
  }
  if (query.hasError !== null)
    add(query.hasError ? "error" : "no_error", query.hasError ? "has_error" : "not has_error");
  if (query.latencyMinMs !== null) addSparse("latency", `latency_ms >= ${parameter(query.latencyMinMs)}`);
  if (query.ratingMin !== null || query.ratingMax !== null) {
    const bounds = [
      ...(query.ratingMin === null ? [] : [` and rating >= ${parameter(query.ratingMin)}`]),
      ...(query.ratingMax === null ? [] : [` and rating <= ${parameter(query.ratingMax)}`]),
    ].join("");
    const rated = "select trace_id from ingest.trace_verdicts where project_id = $1 and judge_scores is not null";
    // `is true` forces a hash, whatever the planner's estimate; a join might read the subquery for every root.
    addSparse(query.ratingMin === null ? "rated_most" : "rated", `(id in (${rated}${bounds})) is true`);
  }
  if (query.isFailing !== null) {
    const failing =
      "(has_error or id in (select trace_id from ingest.trace_verdicts where project_id = $1 and is_failing))";
    addSparse(query.isFailing ? "failing" : "not_failing", query.isFailing ? failing : `not ${failing}`);
  }
  if (query.isToolFailing !== null) {
    const name = query.isToolFailing ? "tool_failing" : "not_tool_failing";
    addSparse(name, `(id in (${toolFailing})) is ${query.isToolFailing}`);
  }
  if (query.sessionId !== null) {
    const traceKey = traceNamed(query.sessionId);
    const session = `session_id = ${parameter(query.sessionId)}`;
    if (traceKey === null) add("session", session);
    else {
      const byTrace = `session_id is null and trace_key = ${parameter(traceKey)} and flags & ${otlpFlag} <> 0`;
      add("session_or_trace", `(${session} or ${byTrace})`);
    }
  }
  if (query.prompt !== null) {
    const { name, version } = query.prompt;
    const isVersion = version === null ? "" : ` and prompt_version = ${parameter(version)}`;
    const used = `select trace_key from ingest.spans where project_id = $1 and prompt_name = ${parameter(name)}${isVersion}`;
    addSparse(version === null ? "prompt" : "prompt_version", `(trace_key in (${used})) is true`);
  }
  if (query.fromMs !== null) add("from", `id >= ${parameter(firstIdOf(query.fromMs))}`);
  if (query.toMs !== null) add("to", `id < ${parameter(firstIdOf(query.toMs))}`);
  return conditions;
}

/**
 * The conditions that `ingest.find_roots` does not know, by name: the hits of a search are tested for them, and counted afterwards.
 * `id` is the column of a hit.
 */
export function conditionsOnHits(
  id: string,
  query: RootFilter,
  parameter: (value: unknown) => string,
): { name: string; text: string }[] {
  const { usedModel, hasModel } = query;
  return [
    ...(usedModel === null ? [] : [{ name: "used", text: usesModel(id, usedModel, query, parameter) }]),
    ...(hasModel === null
      ? []
      : [
          {
            name: hasModel ? "has_model" : "no_model",
            text: `${id} in (select id from ingest.spans where project_id = $1 and is_root and model is ${hasModel ? "not " : ""}null)`,
          },
        ]),
  ];
}

/** That the trace of a root used a model in the period of its filter. */
function usesModel(
  id: string,
  model: string,
  { fromMs, toMs }: Pick<RootFilter, "fromMs" | "toMs">,
  parameter: (value: unknown) => string,
): string {
  const from = fromMs === null ? null : parameter(firstIdOf(fromMs));
  const below = toMs === null ? null : parameter(firstIdOf(toMs));
  return `(${id} in (${rootsThatUsed({ model: parameter(model), from, below })})) is true`;
}

/** The 32 hexadecimal digits of an OTel trace are accepted as a session. */
export function traceNamed(sessionId: string): string | null {
  return /^[0-9a-f]{32}$/i.test(sessionId) ? toUuid(sessionId.toLowerCase()) : null;
}

/** The lowest id of an instant; ids hold the whole milliseconds of their `createdAt`. */
export function firstIdOf(atMs: number): string {
  const wholeMs = Math.min(Math.max(Math.ceil(atMs), 0), 2 ** 48 - 1);
  return toUuid(wholeMs.toString(16).padStart(12, "0").padEnd(32, "0"));
}
