import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAdministers } from "../shell/role.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { PlusIcon } from "../ui/icons.tsx";
import { Badge } from "../ui/page.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { useAgentName } from "./agent-choice.tsx";
import { type Webhook, webhooksQuery } from "./queries.ts";
import { newItem } from "./rules.ts";
import { TabBar } from "./tab-bar.tsx";
import { WebhookEditor } from "./webhook-editor.tsx";
import { SecretDialog, type ShownSecret } from "./webhook-secret.tsx";

/** The receivers of signals and failed gates. */
export function WebhooksTab({
  open,
  onOpen,
}: {
  /** The id of a webhook, or `new`. */
  open: string | undefined;
  onOpen(id: string | undefined): void;
}) {
  const webhooks = useQuery(webhooksQuery(useApi()));
  const [secret, setSecret] = useState<ShownSecret | null>(null);
  const { may, why } = useAdministers();
  const create = (): void => {
    if (may) onOpen(newItem);
  };
  const close = (): void => onOpen(undefined);
  useShortcuts("Webhooks", [{ keys: "n", label: "New webhook", run: create }]);
  const button = (
    <Button look="primary" disabled={!may} hint={why} onClick={create}>
      <PlusIcon /> Webhook
    </Button>
  );
  return (
    <Loaded query={webhooks}>
      {(all) => {
        const chosen = all.find(({ _id }) => _id === open);
        return (
          <div className="flex min-h-0 flex-1">
            <div className="flex min-h-0 min-w-0 flex-1 flex-col">
              {all.length === 0 ? (
                <EmptyState title="No webhooks" actions={button}>
                  A webhook receives a signed POST for each new signal and each failed gate, repeated until it answers.
                </EmptyState>
              ) : (
                <>
                  <TabBar actions={button}>Each gets a signed POST for new signals and failed gates.</TabBar>
                  <DataTable
                    label="Webhooks"
                    rows={all}
                    columns={columns}
                    rowKey={({ _id }) => _id}
                    activeKey={open}
                    onActivate={({ _id }) => onOpen(_id)}
                    isSelected={({ _id }) => _id === open}
                    rowHeight={52}
                    cardHeight={80}
                    card={(webhook) => (
                      <div className="flex flex-col gap-1">
                        <div className="flex items-center gap-2">
                          <span className="min-w-0 flex-1 truncate font-medium">{webhook.url}</span>
                          <State webhook={webhook} />
                        </div>
                        <div className="truncate text-soft">{webhook.disabledReason ?? webhook.description}</div>
                      </div>
                    )}
                  />
                </>
              )}
            </div>
            {open === newItem && <WebhookEditor webhook={null} onClose={close} onSecret={setSecret} />}
            {chosen && <WebhookEditor key={chosen._id} webhook={chosen} onClose={close} onSecret={setSecret} />}
            {secret !== null && (
              <SecretDialog
                secret={secret.secret}
                onClose={() => {
                  setSecret(null);
                  // A new webhook is opened, so that it can be tested.
                  onOpen(secret.webhookId);
                }}
              />
            )}
          </div>
        );
      }}
    </Loaded>
  );
}

const columns: readonly Column<Webhook>[] = [
  {
    key: "url",
    header: "Receiver",
    width: "minmax(12rem, 3fr)",
    cell: ({ url, description, disabledReason }) => (
      <>
        <div className="truncate font-medium">{url}</div>
        <div className="truncate text-soft">{disabledReason ?? description}</div>
      </>
    ),
  },
  {
    key: "told",
    header: "Events",
    width: "minmax(8rem, 1fr)",
    cell: ({ events, minSeverity }) => (
      <>
        <div className="truncate">{events.length === eventsCount ? "everything" : events.join(", ")}</div>
        <div className="text-soft">from {minSeverity}</div>
      </>
    ),
  },
  { key: "agents", header: "Agents", width: "minmax(6rem, 1fr)", cell: (webhook) => <Scope webhook={webhook} /> },
  { key: "state", header: "State", width: "4.5rem", cell: (webhook) => <State webhook={webhook} /> },
];

/** The number of events of a webhook. */
const eventsCount = 4;

function Scope({ webhook: { agentIds } }: { webhook: Webhook }) {
  const nameOf = useAgentName();
  return agentIds.length === 0 ? (
    <span className="text-soft">all agents</span>
  ) : (
    <span title={agentIds.map(nameOf).join(", ")}>{agentIds.map(nameOf).join(", ")}</span>
  );
}

function State({ webhook: { enabled, disabledReason } }: { webhook: Webhook }) {
  if (enabled) return <Badge look="good">on</Badge>;
  return disabledReason === null ? <Badge>off</Badge> : <Badge look="bad">failed</Badge>;
}
