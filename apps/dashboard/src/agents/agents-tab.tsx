import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { agentFiguresQuery } from "../blocks/agent-figures-query.ts";
import { useApi } from "../shell/session.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { AgentCard, agentColumns } from "./agent-columns.tsx";
import { joinAgents } from "./join-agents.ts";
import { trackedAgentsQuery } from "./queries.ts";
import type { Window } from "./rules.ts";

/** Every agent of the project, most failures first, then agents without runs. */
export function AgentsTab({ window }: { window: Window }) {
  const api = useApi();
  const navigate = useNavigate();
  const params = { projectId: api.projectId };
  const [active, setActive] = useState<string>();
  const agents = useQuery(trackedAgentsQuery(api));
  const figures = useQuery(agentFiguresQuery(api, window));
  const since = figures.data?.since ?? "";
  const columns = useMemo(() => agentColumns(api.projectId, window, since), [api.projectId, window, since]);
  return (
    <Loaded query={agents}>
      {(all) => (
        <Loaded query={figures}>
          {(read) => {
            const rows = joinAgents(all, read.agents);
            if (rows.length === 0) return <NoAgent />;
            return (
              <DataTable
                label="Agents"
                rows={rows}
                columns={columns}
                rowKey={({ key }) => key}
                activeKey={active ?? rows[0]?.key}
                onActivate={({ key }) => setActive(key)}
                onOpen={({ agentId }) =>
                  agentId !== null &&
                  void navigate({
                    to: "/p/$projectId/agents/$agentId",
                    params: { ...params, agentId },
                    search: { window },
                  })
                }
                rowHeight={40}
                cardHeight={96}
                card={(agent) => <AgentCard agent={agent} projectId={api.projectId} window={window} since={since} />}
              />
            );
          }}
        </Loaded>
      )}
    </Loaded>
  );
}

function NoAgent() {
  const { projectId } = useApi();
  return (
    <EmptyState
      title="No agent yet"
      actions={
        <ButtonLink look="primary" to="/p/$projectId" params={{ projectId }}>
          Send the first trace
        </ButtonLink>
      }
    >
      An agent appears with its first trace, by the name that the trace gives it.
    </EmptyState>
  );
}
