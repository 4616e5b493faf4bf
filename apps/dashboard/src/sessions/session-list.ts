import type { operations } from "../api/schema.gen.d.ts";
import { flag, oneOf, searchOf, text } from "../ui/search-params.ts";

export type SessionRow =
  operations["listSessions"]["responses"][200]["content"]["application/json"]["sessions"][number];

export const sessionWindows = ["1h", "24h", "7d", "30d"] as const;
export type SessionWindow = (typeof sessionWindows)[number];

/** The orders of sessions with their labels; `last` is the order of the API. */
export const sessionSorts = {
  last: "Newest activity",
  rating: "Lowest rating",
  turns: "Most turns",
  errors: "Most failed spans",
  latency: "Longest work",
} as const;
export type SessionSort = keyof typeof sessionSorts;

/** The search parameters of the list. */
export const readSessionsSearch = searchOf({
  search: text,
  /** An id, or `none`. */
  agent: text,
  window: oneOf(sessionWindows),
  /** At least one span failed. */
  error: flag,
  /** More than one turn. */
  talks: flag,
  rating: oneOf(["rated", "unrated"]),
  sort: oneOf(Object.keys(sessionSorts) as SessionSort[]),
  /** The id of the session whose rating the panel explains. */
  why: text,
});

export type SessionsSearch = ReturnType<typeof readSessionsSearch>;

/** The window if the URL names none. */
export const defaultWindow: SessionWindow = "7d";

const orders: Record<SessionSort, (left: SessionRow, right: SessionRow) => number> = {
  last: () => 0,
  rating: (left, right) => (left.judgeRating ?? 11) - (right.judgeRating ?? 11),
  turns: (left, right) => right.turnCount - left.turnCount,
  errors: (left, right) => right.errorCount - left.errorCount,
  latency: (left, right) => right.totalLatencyMs - left.totalLatencyMs,
};

/** The sessions of a view, in its order. Ties keep the order of activity. */
export function shownSessions(sessions: readonly SessionRow[], search: SessionsSearch): SessionRow[] {
  const words = search.search?.toLowerCase();
  return sessions
    .filter(
      ({ sessionId, agentId, agentName, errorCount, turnCount, judgeRating }) =>
        (words === undefined || `${sessionId} ${agentName ?? ""}`.toLowerCase().includes(words)) &&
        (search.agent === undefined || (agentId ?? "none") === search.agent) &&
        (search.error === undefined || errorCount > 0) &&
        (search.talks === undefined || turnCount > 1) &&
        (search.rating === undefined || (judgeRating !== null) === (search.rating === "rated")),
    )
    .toSorted(orders[search.sort ?? "last"]);
}

/** The agents of the sessions, by name, for the filter. */
export function agentsOf(sessions: readonly SessionRow[]): { id: string; name: string }[] {
  const names = new Map(
    sessions.map(({ agentId, agentName }) => [agentId ?? "none", agentName ?? agentId ?? "No agent"]),
  );
  return [...names].map(([id, name]) => ({ id, name })).toSorted((left, right) => left.name.localeCompare(right.name));
}

/** Whether any filter besides the window is set. */
export function isFiltered({ search, agent, error, talks, rating }: SessionsSearch): boolean {
  return [search, agent, error, talks, rating].some((value) => value !== undefined);
}
