import { flag, list, number, oneOf, pickSet, searchOf, text } from "../ui/search-params.ts";
import { momentOf } from "../ui/time-windows.ts";

/** The search parameters of the list. */
export const readTracesSearch = searchOf({
  search: text,
  /** An id. */
  agent: text,
  model: text,
  /** A span names this model itself and used tokens. */
  usedModel: text,
  /** Only traces that show no model. */
  noModel: flag,
  framework: text,
  source: oneOf(["production", "eval"]),
  error: flag,
  /** ISO 8601, or one of {@link windows}, so that a link to the last day remains one. */
  from: text,
  to: text,
  rating: oneOf(["failing", "tool", "passing", "rated"]),
  session: text,
  /** Minimum in milliseconds. */
  slow: number,
  /** The name of a prompt, and one of its versions. */
  prompt: text,
  promptVersion: text,
  /** The visible columns; when absent, the default ones of {@link columnNames}. */
  cols: list,
  peek: text,
  /** The panel explains the trace's rating. */
  why: flag,
  /** New traces are not shown as they arrive. */
  paused: flag,
});

export type TracesSearch = ReturnType<typeof readTracesSearch>;

const filterNames = [
  "search",
  "agent",
  "model",
  "usedModel",
  "noModel",
  "framework",
  "source",
  "error",
  "from",
  "to",
  "rating",
  "session",
  "slow",
  "prompt",
  "promptVersion",
] as const;

export type FilterName = (typeof filterNames)[number];
export type TracesFilter = Pick<TracesSearch, FilterName>;

/** Filters to set; undefined ones are removed. */
export type FilterChange = { [Name in FilterName]?: TracesSearch[Name] | undefined };

/** The filters in the search. */
export function filterOf(search: TracesSearch): TracesFilter {
  return pickSet(search, filterNames);
}

/** A search without its filters. */
export function withoutFilters(search: TracesSearch): TracesSearch {
  const rest = Object.entries(search).filter(([name]) => !(filterNames as readonly string[]).includes(name));
  return Object.fromEntries(rest);
}

/** The outcome and rating of a trace as one choice; in the URL it is `error` and `rating`. */
export const outcomes = {
  failing: "Failing",
  error: "Ended in an error",
  tool: "A tool failed",
  passing: "Rated, passing",
  rated: "Rated",
};
export type Outcome = keyof typeof outcomes;

export const sources = { production: "Production", eval: "Eval runs" };

/** The outcome that a filter selects; if both members are set, the rating decides. */
export function outcomeOf({ error, rating }: TracesFilter): Outcome | undefined {
  return rating ?? (error ? "error" : undefined);
}

/** The inverse of {@link outcomeOf}. */
export function outcomeFilter(outcome: Outcome | undefined): FilterChange {
  return {
    error: outcome === "error" ? true : undefined,
    rating: outcome === "error" ? undefined : outcome,
  };
}

/** Whether new traces can appear in the list: not if its window ends in the past, nor if a filter depends on later verdicts or spans. */
export function canFollow({ to, rating, usedModel, noModel }: TracesFilter): boolean {
  return to === undefined && rating === undefined && usedModel === undefined && noModel === undefined;
}

const ratingQuery = {
  failing: { failing: "true" },
  tool: { toolFailing: "true" },
  passing: { failing: "false", ratingMin: "0" },
  rated: { ratingMin: "0" },
};

/** The filters as parameters of the API. */
export function listQueryOf(filter: TracesFilter, now = Date.now()) {
  const { search, agent, model, usedModel, framework, source, error, from, to, rating, session, slow } = filter;
  const { prompt, promptVersion, noModel } = filter;
  return {
    ...(search !== undefined && { search }),
    ...(agent !== undefined && { agentId: agent }),
    ...(model !== undefined && { model }),
    ...(usedModel !== undefined && { usedModel }),
    ...(noModel && { hasModel: "false" }),
    ...(framework !== undefined && { framework }),
    ...(source !== undefined && { source }),
    ...(error && { hasError: "true" }),
    ...(from !== undefined && { from: momentOf(from, now) }),
    ...(to !== undefined && { to: momentOf(to, now) }),
    ...(session !== undefined && { sessionId: session }),
    ...(slow !== undefined && { latencyMinMs: String(slow) }),
    ...(prompt !== undefined && { promptName: prompt, ...(promptVersion !== undefined && { promptVersion }) }),
    ...(rating !== undefined && ratingQuery[rating]),
  };
}
