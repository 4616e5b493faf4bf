import type { AgentFigure } from "../blocks/agent-figures-query.ts";

interface KnownAgent {
  _id: string;
  name: string;
  tracked: boolean;
  lastSeenAt: string | null;
}

/** A row of the list of agents. */
export interface ListedAgent {
  key: string;
  /** Null: traces that name no agent. */
  agentId: string | null;
  name: string;
  isWatched: boolean;
  lastSeenAt: string | null;
  /** Undefined where it did not run in the window. */
  figures: AgentFigure | undefined;
}

/** Every agent with its figures, in their order; then agents without runs, the last seen first. */
export function joinAgents(agents: readonly KnownAgent[], figures: readonly AgentFigure[]): ListedAgent[] {
  const known = new Map(agents.map((agent) => [agent._id, agent]));
  const ran = figures.map((each): ListedAgent => {
    const agent = known.get(each.agentId ?? "");
    return {
      key: each.agentId ?? "none",
      agentId: each.agentId,
      name: each.agentId === null ? "no agent" : (agent?.name ?? each.name ?? each.agentId),
      isWatched: agent?.tracked ?? true,
      lastSeenAt: agent?.lastSeenAt ?? null,
      figures: each,
    };
  });
  const isListed = new Set(figures.map(({ agentId }) => agentId));
  const rested = agents
    .filter(({ _id }) => !isListed.has(_id))
    .toSorted((one, other) => (other.lastSeenAt ?? "").localeCompare(one.lastSeenAt ?? ""))
    .map(({ _id, name, tracked, lastSeenAt }) => ({
      ...{ key: _id, agentId: _id, name, isWatched: tracked, lastSeenAt },
      figures: undefined,
    }));
  return [...ran, ...rested];
}
