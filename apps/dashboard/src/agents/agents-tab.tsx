import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useApi } from "../shell/session.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { AgentCard, agentColumns } from "./agent-columns.tsx";
import { failingAgentsQuery, trackedAgentsQuery } from "./queries.ts";
import type { Window } from "./rules.ts";

/** Every agent that sent a trace, those that fail most first. */
export function AgentsTab({ window }: { window: Window }) {
  const api = useApi();
  const navigate = useNavigate();
  const params = { projectId: api.projectId };
  const [active, setActive] = useState<string>();
  const agents = useQuery(trackedAgentsQuery(api));
  const failing = useQuery(failingAgentsQuery(api, window));
  const columns = useMemo(() => agentColumns(api.projectId, window), [api.projectId, window]);
  return (
    <Loaded query={agents}>
      {(all) => {
        if (all.length === 0) {
          return (
            <EmptyState
              title="No agent yet"
              actions={
                <ButtonLink look="primary" to="/p/$projectId" params={params}>
                  Send the first trace
                </ButtonLink>
              }
            >
              An agent appears with its first trace, by the name that the trace gives it.
            </EmptyState>
          );
        }
        const figures = new Map(failing.data?.agents.map((agent) => [agent.agentId, agent]));
        const rows = all
          .map((agent) => ({ ...agent, figures: figures.get(agent._id) }))
          .toSorted((left, right) => (right.figures?.failingRuns ?? 0) - (left.figures?.failingRuns ?? 0));
        return (
          <DataTable
            label="Agents"
            rows={rows}
            columns={columns}
            rowKey={({ _id }) => _id}
            activeKey={active ?? rows[0]?._id}
            onActivate={({ _id }) => setActive(_id)}
            onOpen={({ _id }) =>
              void navigate({
                to: "/p/$projectId/agents/$agentId",
                params: { ...params, agentId: _id },
                search: { window },
              })
            }
            rowHeight={40}
            cardHeight={76}
            card={(agent) => <AgentCard agent={agent} projectId={api.projectId} window={window} />}
          />
        );
      }}
    </Loaded>
  );
}
