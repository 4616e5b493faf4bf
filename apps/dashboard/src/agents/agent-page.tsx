import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { agentsQuery } from "../blocks/watching-queries.ts";
import { useApi } from "../shell/session.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { Page } from "../ui/page.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { AgentFigures } from "./agent-figures.tsx";
import { AlertRulesTab } from "./alert-rules-tab.tsx";
import { PatternsTab } from "./patterns-tab.tsx";
import { ProfileForm } from "./profile-form.tsx";
import { WindowChoice } from "./window-choice.tsx";

const route = getRouteApi("/p/$projectId/agents/$agentId");

const tabs = [
  { key: "figures", label: "Figures" },
  { key: "patterns", label: "Patterns" },
  { key: "alerts", label: "Alert rules" },
  { key: "watching", label: "Watching" },
] as const;

/** One agent: its figures and its monitoring settings. */
export function AgentPage() {
  const api = useApi();
  const { agentId } = route.useParams();
  const { tab = "figures", window = "24h", open } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/agents/$agentId" });
  const agents = useQuery(agentsQuery(api));
  const agent = agents.data?.find(({ _id }) => _id === agentId);
  const params = { projectId: api.projectId };
  const onOpen = (id: string | undefined): void =>
    void navigate({ search: (before) => ({ ...before, open: id }), replace: open !== undefined && id !== undefined });
  return (
    <Page
      title={agent?.name ?? "Agent"}
      isFull
      actions={
        <>
          {tab === "figures" && (
            <WindowChoice
              chosen={window}
              onChoose={(chosen) => void navigate({ search: (before) => ({ ...before, window: chosen }) })}
            />
          )}
          <ButtonLink to="/p/$projectId/inbox" params={params} search={{ agent: agentId }}>
            Signals
          </ButtonLink>
          <ButtonLink to="/p/$projectId/traces" params={params} search={{ agent: agentId }}>
            Traces
          </ButtonLink>
        </>
      }
    >
      <Loaded query={agents}>
        {() =>
          agent === undefined ? (
            <EmptyState title="Not here, or not yours">No agent of this project has this id.</EmptyState>
          ) : (
            <Tabs
              label="What is shown of the agent"
              tabs={tabs}
              chosen={tab}
              onChoose={(chosen) => void navigate({ search: { tab: chosen, window } })}
              rowClassName="px-1 md:px-3"
              className="flex min-h-0 flex-1 flex-col"
            >
              {tab === "figures" && <AgentFigures agentId={agentId} window={window} />}
              {tab === "patterns" && <PatternsTab agentId={agentId} open={open} onOpen={onOpen} />}
              {tab === "alerts" && <AlertRulesTab agentId={agentId} open={open} onOpen={onOpen} />}
              {tab === "watching" && <ProfileForm key={agentId} agent={agent} />}
            </Tabs>
          )
        }
      </Loaded>
    </Page>
  );
}
