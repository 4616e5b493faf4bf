import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useCallback } from "react";
import { bodyOf } from "../api/client.ts";
import { refusalOf, useAdministers } from "../shell/role.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { SelectField } from "../ui/field.tsx";
import { JsonView } from "../ui/json-view.tsx";
import { Time } from "../ui/page.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { SidePanel } from "../ui/side-panel.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { DeliveryStatus, outcomeOf } from "./delivery-status.tsx";
import { type Delivery, type DeliveryFilters, deliveriesQuery, webhooksQuery } from "./queries.ts";
import { deliveryStatuses } from "./rules.ts";
import { TabBar } from "./tab-bar.tsx";

/** The messages to receivers in the last 30 days, and their outcomes. */
export function DeliveriesTab({
  filters,
  open,
  onNarrow,
  onOpen,
}: {
  filters: DeliveryFilters;
  open: string | undefined;
  onNarrow(change: DeliveryFilters): void;
  onOpen(id: string | undefined): void;
}) {
  const deliveries = useInfiniteQuery(deliveriesQuery(useApi(), filters));
  const rows = deliveries.data?.pages.flatMap((page) => page.deliveries) ?? [];
  const chosen = rows.find(({ _id }) => _id === open);
  const { hasNextPage, isFetching, fetchNextPage } = deliveries;
  const readMore = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <TabBar actions={<Narrowing filters={filters} onNarrow={onNarrow} />}>Messages are kept for 30 days.</TabBar>
        <Loaded query={deliveries}>
          {() =>
            rows.length === 0 ? (
              <EmptyState title="Nothing was sent">
                {filters.webhook === undefined && filters.status === undefined
                  ? "Deliveries appear here when a signal is raised or a gate fails."
                  : "No message matches these filters."}
              </EmptyState>
            ) : (
              <DataTable
                label="Deliveries"
                rows={rows}
                columns={columns}
                rowKey={({ _id }) => _id}
                activeKey={open}
                onActivate={({ _id }) => onOpen(_id)}
                isSelected={({ _id }) => _id === open}
                rowHeight={36}
                cardHeight={84}
                onReachEnd={readMore}
                card={(delivery) => (
                  <div className="flex flex-col gap-1">
                    <div className="flex items-center gap-2">
                      <span className="min-w-0 flex-1 truncate font-medium">{textOf(delivery)}</span>
                      <DeliveryStatus status={delivery.status} />
                    </div>
                    <div className="truncate text-soft">{delivery.url}</div>
                  </div>
                )}
              />
            )
          }
        </Loaded>
      </div>
      {chosen && <DeliveryPanel delivery={chosen} onClose={() => onOpen(undefined)} />}
    </div>
  );
}

function Narrowing({ filters, onNarrow }: { filters: DeliveryFilters; onNarrow(change: DeliveryFilters): void }) {
  const webhooks = useQuery(webhooksQuery(useApi())).data ?? [];
  return (
    <>
      <div className="w-56">
        <SelectField
          label="Webhook"
          isLabelHidden
          value={filters.webhook ?? ""}
          onChange={({ target }) => onNarrow({ webhook: target.value || undefined })}
        >
          <option value="">Any receiver</option>
          {webhooks.map(({ _id, url }) => (
            <option key={_id} value={_id}>
              {url}
            </option>
          ))}
        </SelectField>
      </div>
      <div className="w-36">
        <SelectField
          label="Status"
          isLabelHidden
          value={filters.status ?? ""}
          onChange={({ target }) => onNarrow({ status: deliveryStatuses.find((status) => status === target.value) })}
        >
          <option value="">Any status</option>
          <option value="pending">on its way</option>
          <option value="delivered">delivered</option>
          <option value="failed">given up</option>
        </SelectField>
      </div>
    </>
  );
}

/** The message in words, as it was sent. */
function textOf({ body, event }: Delivery): string {
  const { summary } = (body ?? {}) as { summary?: unknown };
  return typeof summary === "string" ? summary : event;
}

const columns: readonly Column<Delivery>[] = [
  { key: "time", header: "Time", width: "6.5rem", cell: ({ createdAt }) => <Time iso={createdAt} /> },
  { key: "event", header: "Event", width: "7rem", cell: ({ event }) => event },
  { key: "text", header: "Message", width: "minmax(5rem, 3fr)", cell: textOf },
  { key: "url", header: "Receiver", width: "minmax(4rem, 2fr)", cell: ({ url }) => url },
  { key: "tries", header: "Tries", width: "3rem", align: "right", cell: ({ attempts }) => attempts },
  { key: "status", header: "Status", width: "6rem", cell: ({ status }) => <DeliveryStatus status={status} /> },
];

function DeliveryPanel({ delivery, onClose }: { delivery: Delivery; onClose(): void }) {
  const api = useApi();
  const queries = useQueryClient();
  const { say, warn } = useToasts();
  const replay = useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST("/api/v1/agent-monitoring/webhook-deliveries/{deliveryId}/replay", {
          params: { path: { deliveryId: delivery._id } },
        }),
      ),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: [api.projectId, "webhook-deliveries"] });
      say("The message is sent again.");
    },
    onError: warn,
  });
  const refusal = refusalOf(useAdministers()) ?? (delivery.status === "pending" ? "It is on its way." : undefined);
  const send = (): void => {
    if (refusal === undefined && !replay.isPending) replay.mutate();
  };
  useShortcuts("Deliveries", [{ keys: "r", label: "Send again", run: send }]);
  return (
    <SidePanel title="Message" onClose={onClose}>
      <div className="flex flex-col gap-4">
        <div className="flex flex-wrap items-center gap-2">
          <DeliveryStatus status={delivery.status} />
          <span>{outcomeOf(delivery)}</span>
        </div>
        <dl className="m-0 grid grid-cols-[7rem_1fr] gap-y-1 [&_dd]:m-0 [&_dd]:break-all [&_dt]:text-faint">
          <dt>Receiver</dt>
          <dd>{delivery.url}</dd>
          <dt>Event</dt>
          <dd>{delivery.event}</dd>
          <dt>Written</dt>
          <dd>
            <Time iso={delivery.createdAt} />
          </dd>
          <dt>Delivered</dt>
          <dd>
            <Time iso={delivery.deliveredAt} />
          </dd>
          <dt>Next try</dt>
          <dd>
            <Time iso={delivery.nextAttemptAt} />
          </dd>
          <dt>webhook-id</dt>
          <dd className="font-mono text-xs leading-5">{delivery._id}</dd>
        </dl>
        <div className="flex flex-wrap gap-2">
          <Button onClick={send} isBusy={replay.isPending} disabled={refusal !== undefined} hint={refusal}>
            Send again
          </Button>
          {delivery.signalId !== null && (
            <Link
              to="/p/$projectId/inbox"
              params={{ projectId: api.projectId }}
              search={{ status: "all", open: delivery.signalId }}
              className="inline-flex h-8 items-center px-2 text-accent max-md:h-11"
            >
              Signal
            </Link>
          )}
        </div>
        <div className="rounded-md border border-line p-3">
          <JsonView value={delivery.body} name="the message" />
        </div>
      </div>
    </SidePanel>
  );
}
