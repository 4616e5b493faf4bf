import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Page } from "../ui/page.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { AgentsTab } from "./agents-tab.tsx";
import { AlertRulesTab } from "./alert-rules-tab.tsx";
import { DeliveriesTab } from "./deliveries-tab.tsx";
import { PatternsTab } from "./patterns-tab.tsx";
import { WebhooksTab } from "./webhooks-tab.tsx";
import { WindowChoice } from "./window-choice.tsx";

const route = getRouteApi("/p/$projectId/agents");

const tabs = [
  { key: "agents", label: "Agents" },
  { key: "patterns", label: "Patterns" },
  { key: "alerts", label: "Alert rules" },
  { key: "webhooks", label: "Webhooks" },
  { key: "deliveries", label: "Deliveries" },
] as const;

/** The agents of a project, and what all of them are watched for. */
export function AgentsPage() {
  const { tab = "agents", window = "24h", open, webhook, status } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/agents" });
  const onOpen = (id: string | undefined): void =>
    void navigate({ search: (before) => ({ ...before, open: id }), replace: open !== undefined && id !== undefined });
  return (
    <Page
      title="Agents"
      isFull
      actions={
        tab === "agents" && (
          <WindowChoice
            chosen={window}
            onChoose={(chosen) => void navigate({ search: (before) => ({ ...before, window: chosen }) })}
          />
        )
      }
    >
      <Tabs
        label="What is shown"
        tabs={tabs}
        chosen={tab}
        onChoose={(chosen) => void navigate({ search: { tab: chosen, window } })}
        rowClassName="px-1 md:px-3"
        className="flex min-h-0 flex-1 flex-col"
      >
        {tab === "agents" && <AgentsTab window={window} />}
        {tab === "patterns" && <PatternsTab open={open} onOpen={onOpen} />}
        {tab === "alerts" && <AlertRulesTab open={open} onOpen={onOpen} />}
        {tab === "webhooks" && <WebhooksTab open={open} onOpen={onOpen} />}
        {tab === "deliveries" && (
          <DeliveriesTab
            filters={{ webhook, status }}
            open={open}
            onNarrow={(change) => void navigate({ search: (before) => ({ ...before, open: undefined, ...change }) })}
            onOpen={onOpen}
          />
        )}
      </Tabs>
    </Page>
  );
}
