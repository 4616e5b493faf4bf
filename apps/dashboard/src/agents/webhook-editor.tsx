import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { bodyOf } from "../api/client.ts";
import { EditorPanel } from "../blocks/editor-panel.tsx";
import { differs, useUnsavedGuard } from "../blocks/leave-guard.tsx";
import { SeverityField } from "../blocks/severity-field.tsx";
import { refusalOf, useAdministers } from "../shell/role.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { CheckField, TextField } from "../ui/field.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { SomeAgents } from "./agent-choice.tsx";
import { type Webhook, webhooksQuery } from "./queries.ts";
import {
  bodyOfWebhook,
  draftOfWebhook,
  emptyWebhook,
  eventNames,
  events,
  missingOfWebhook,
  type WebhookDraft,
} from "./webhook-draft.ts";
import type { ShownSecret } from "./webhook-secret.tsx";
import { WebhookTest } from "./webhook-test.tsx";

type Asked = "delete" | "rotate" | null;

/** Writes a webhook, tests it and renews its secret. Without `webhook` a new one, whose secret is shown once. */
export function WebhookEditor({
  webhook,
  onClose,
  onSecret,
}: {
  webhook: Webhook | null;
  onClose(): void;
  /** Shows a new secret. This editor does not: it may be gone before the user has stored the secret. */
  onSecret(secret: ShownSecret): void;
}) {
  const api = useApi();
  const queries = useQueryClient();
  const { say } = useToasts();
  // Only what the user changed: the other fields follow what others save.
  const [changes, setChanges] = useState<Partial<WebhookDraft>>({});
  const initial = webhook === null ? emptyWebhook : draftOfWebhook(webhook);
  const draft = { ...initial, ...changes };
  const unsaved = useUnsavedGuard(differs(draft, initial));
  const [asked, ask] = useState<Asked>(null);
  const permission = useAdministers();
  const off = { disabled: !permission.may, hint: permission.why };
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: webhooksQuery(api).queryKey });
  const params = { path: { webhookId: webhook?._id ?? "" } };

  const save = useMutation({
    mutationFn: async () => {
      const body = bodyOfWebhook(draft);
      if (webhook !== null) {
        await bodyOf(api.PUT("/api/v1/agent-monitoring/webhooks/{webhookId}", { params, body }));
        return null;
      }
      return bodyOf(api.POST("/api/v1/agent-monitoring/webhooks", { body }));
    },
    onSuccess: async (created) => {
      if (created !== null) {
        unsaved.release();
        onSecret({ secret: created.secret, webhookId: created.webhook._id });
        return refresh();
      }
      await refresh();
      say("The webhook is saved.");
      unsaved.release();
      onClose();
    },
  });

  async function rotate(): Promise<void> {
    const rotated = await bodyOf(api.POST("/api/v1/agent-monitoring/webhooks/{webhookId}/rotate-secret", { params }));
    onSecret({ secret: rotated.secret, webhookId: rotated.webhook._id });
    void refresh();
  }

  async function remove(): Promise<void> {
    await api.DELETE("/api/v1/agent-monitoring/webhooks/{webhookId}", { params });
    await refresh();
    say("The webhook is deleted.");
    unsaved.release();
    onClose();
  }

  return (
    <EditorPanel
      title={webhook === null ? "New webhook" : "Webhook"}
      onClose={onClose}
      onSave={() => save.mutate()}
      saveLabel={webhook === null ? "Create the webhook" : "Save"}
      isBusy={save.isPending}
      missing={refusalOf(permission) ?? missingOfWebhook(draft)}
      problem={save.error}
      further={
        webhook !== null && (
          <>
            <Button {...off} onClick={() => ask("rotate")}>
              Renew the secret
            </Button>
            <Button look="danger" {...off} onClick={() => ask("delete")}>
              Delete
            </Button>
          </>
        )
      }
    >
      {unsaved.guard}
      <fieldset className="m-0 flex min-w-0 flex-col gap-5 border-0 p-0" disabled={!permission.may}>
        <WebhookFields webhook={webhook} draft={draft} set={(change) => setChanges({ ...changes, ...change })} />
      </fieldset>
      {webhook !== null && <WebhookTest webhookId={webhook._id} isSaved={draft.url === initial.url} />}
      <ConfirmDialog
        isOpen={asked === "rotate"}
        onClose={() => ask(null)}
        title="Renew the secret?"
        verb="Renew 1 secret"
        look="primary"
        onConfirm={rotate}
      >
        Messages are signed with both secrets for 24 hours, then only with the new one.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked === "delete"}
        onClose={() => ask(null)}
        title="Delete the webhook?"
        verb="Delete 1 webhook"
        onConfirm={remove}
      >
        {webhook?.url} receives no more events, and deliveries that wait for it are dropped.
      </ConfirmDialog>
    </EditorPanel>
  );
}

/** Its address and its events. */
function WebhookFields({
  webhook,
  draft,
  set,
}: {
  webhook: Webhook | null;
  draft: WebhookDraft;
  set(change: Partial<WebhookDraft>): void;
}) {
  return (
    <>
      <TextField
        label="Address"
        autoFocus={webhook === null}
        type="url"
        placeholder="https://"
        autoComplete="off"
        value={draft.url}
        onChange={({ target }) => set({ url: target.value })}
        error={webhook?.disabledReason ?? null}
      />
      <TextField
        label="Description"
        value={draft.description}
        onChange={({ target }) => set({ description: target.value })}
      />
      <fieldset className="m-0 border-0 p-0">
        <legend className="mb-1 p-0 text-sm font-medium">Events</legend>
        <div className="flex flex-wrap gap-x-5 gap-y-2 max-md:flex-col max-md:gap-y-3">
          {events.map((event) => (
            <CheckField
              key={event}
              label={eventNames[event]}
              checked={draft.events.includes(event)}
              onChange={({ target }) =>
                set({
                  events: events.filter((each) => (each === event ? target.checked : draft.events.includes(each))),
                })
              }
            />
          ))}
        </div>
      </fieldset>
      <SeverityField
        label="From this severity on"
        value={draft.minSeverity}
        onChange={(minSeverity) => set({ minSeverity })}
      />
      <SomeAgents legend="Agents" chosen={draft.agentIds} onChange={(agentIds) => set({ agentIds })} />
      <CheckField
        label="Send to it"
        checked={draft.enabled}
        onChange={({ target }) => set({ enabled: target.checked })}
      />
    </>
  );
}
