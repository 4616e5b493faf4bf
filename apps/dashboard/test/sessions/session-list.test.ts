import { expect, test } from "vitest";
import { agentsOf, isFiltered, type SessionRow, shownSessions } from "../../src/sessions/session-list.ts";

const row = (sessionId: string, fields: Partial<SessionRow> = {}): SessionRow => ({
  sessionId,
  agentId: "a1",
  agentName: "support",
  turnCount: 1,
  spanCount: 1,
  errorCount: 0,
  totalLatencyMs: 100,
  firstAt: "2026-01-01T00:00:00Z",
  lastAt: "2026-01-01T00:01:00Z",
  judgeRating: null,
  judgeName: null,
  judgeCheckedAt: null,
  firstInput: null,
  judges: [],
  ...fields,
});
const all = [
  row("chat-1", { judgeRating: 8 }),
  row("chat-2", { turnCount: 4, judgeRating: 2, errorCount: 1 }),
  row("job-3", { agentId: null, agentName: null, totalLatencyMs: 900 }),
];
const shown = (search: Parameters<typeof shownSessions>[1]) =>
  shownSessions(all, search).map(({ sessionId }) => sessionId);

test("each filter leaves the sessions that are like it, several those that are like all", () => {
  expect(shown({})).toEqual(["chat-1", "chat-2", "job-3"]);
  expect(shown({ search: "CHAT" })).toEqual(["chat-1", "chat-2"]);
  expect(shown({ search: "support" })).toEqual(["chat-1", "chat-2"]);
  expect(shown({ agent: "none" })).toEqual(["job-3"]);
  expect(shown({ error: true })).toEqual(["chat-2"]);
  expect(shown({ talks: true, rating: "rated" })).toEqual(["chat-2"]);
  expect(shown({ rating: "unrated" })).toEqual(["job-3"]);
});

test("the lowest rating comes first, what is not rated last", () => {
  expect(shown({ sort: "rating" })).toEqual(["chat-2", "chat-1", "job-3"]);
  expect(shown({ sort: "latency" })).toEqual(["job-3", "chat-1", "chat-2"]);
  expect(shown({ sort: "turns" })[0]).toBe("chat-2");
});

test("a window and an order are no filters", () => {
  expect(isFiltered({ window: "1h", sort: "turns" })).toBe(false);
  expect(isFiltered({ error: true })).toBe(true);
});

test("each agent is offered once", () => {
  expect(agentsOf(all)).toEqual([
    { id: "none", name: "No agent" },
    { id: "a1", name: "support" },
  ]);
});
