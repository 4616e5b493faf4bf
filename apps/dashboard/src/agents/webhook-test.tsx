import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { bodyOf } from "../api/client.ts";
import { useAdministers } from "../shell/role.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { ProblemLine } from "../ui/states.tsx";
import { DeliveryStatus, outcomeOf } from "./delivery-status.tsx";

/** Sends one test message now and shows the receiver's answer, with a link to all messages. */
export function WebhookTest({
  webhookId,
  isSaved,
}: {
  webhookId: string;
  /** False while another address is typed: a test goes to the stored one. */
  isSaved: boolean;
}) {
  const api = useApi();
  const queries = useQueryClient();
  const { may, why } = useAdministers();
  const test = useMutation({
    mutationFn: () =>
      bodyOf(api.POST("/api/v1/agent-monitoring/webhooks/{webhookId}/test", { params: { path: { webhookId } } })),
    onSuccess: () => void queries.invalidateQueries({ queryKey: [api.projectId, "webhook-deliveries"] }),
  });
  return (
    <section aria-label="Test" className="flex flex-col gap-2 rounded-md bg-panel p-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button
          isBusy={test.isPending}
          disabled={!may || !isSaved}
          hint={isSaved ? why : "Save the new address first"}
          onClick={() => test.mutate()}
        >
          Send a test
        </Button>
        <Link
          to="/p/$projectId/agents"
          params={{ projectId: api.projectId }}
          search={{ tab: "deliveries", webhook: webhookId }}
          className="text-accent"
        >
          What was sent to it
        </Link>
      </div>
      {test.error !== null && <ProblemLine problem={test.error} />}
      {test.data !== undefined && (
        <p className="m-0 flex flex-wrap items-center gap-2" role="status">
          <DeliveryStatus status={test.data.delivery.status} />
          {outcomeOf(test.data.delivery)}
        </p>
      )}
    </section>
  );
}
