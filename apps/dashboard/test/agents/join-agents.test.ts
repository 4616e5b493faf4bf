import { expect, test } from "vitest";
import { joinAgents } from "../../src/agents/join-agents.ts";

const figure = (agentId: string | null, name: string | null) => ({
  ...{ agentId, name, totalRuns: 1, failingRuns: 0, operationalFailingRuns: 0, scorerFailingRuns: 0 },
  ...{ failureRate: 0, latencyP95: null, costUSD: null, meanRating: null, ratings: 0, mainFailure: null },
});
const agent = (_id: string, lastSeenAt: string | null) => ({ _id, name: `agent ${_id}`, tracked: false, lastSeenAt });

test("agents are in the order of their figures, then those without runs, the last seen first", () => {
  const agents = [agent("a", null), agent("b", "2026-11-01"), agent("c", "2026-11-02"), agent("d", "2026-11-03")];
  const rows = joinAgents(agents, [figure("b", "b"), figure(null, null), figure("gone", null)]);
  expect(rows.map(({ key, name, isWatched, figures }) => [key, name, isWatched, figures !== undefined])).toEqual([
    ["b", "agent b", false, true],
    ["none", "no agent", true, true],
    ["gone", "gone", true, true],
    ["d", "agent d", false, false],
    ["c", "agent c", false, false],
    ["a", "agent a", false, false],
  ]);
});
