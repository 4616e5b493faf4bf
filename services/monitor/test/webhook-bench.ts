import { connectBus } from "@touchstone/bus";
import { webhookDeliveryList, webhookSecretReply } from "@touchstone/contracts";
import { createLogger, uuidv7 } from "@touchstone/service-kit";
import { startTestNats, useStarted } from "@touchstone/testkit";
import { expect, vi } from "vitest";
import type { Finding } from "../src/model/finding.ts";
import { createFindingStore } from "../src/signals/finding-store.ts";
import { startFakeIngest } from "./fake-ingest.ts";
import { createProjectClient, type ProjectClient, startMonitor } from "./start-monitor.ts";
import { openTestStore, quiet } from "./test-store.ts";
import { startWebhookReceiver } from "./webhook-receiver.ts";

export const channelSecret = `whsec_${Buffer.from("the channels of an installation.").toString("base64")}`;
const publicUrl = "https://touchstone.example.com";

export type WebhookBench = Awaited<ReturnType<typeof startWebhookBench>>;

/** The bench, for the tests of the file that calls this. */
export const useWebhookBench = (): WebhookBench => useStarted(startWebhookBench, (bench) => bench.stop());

/** A monitor that tells a receiver, and what tests do with them. */
export async function startWebhookBench() {
  const [store, nats, ingest, receiver] = await Promise.all([
    openTestStore(),
    startTestNats(),
    startFakeIngest(),
    startWebhookReceiver(),
  ]);
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger(
    { service: "monitor", level: "info" },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  const { service, address } = await startMonitor({
    databaseUrl: store.url,
    natsUrl: nats.url,
    ingestUrl: ingest.address,
    settings: { SERVICE_PUBLIC_URL: `${publicUrl}/`, SERVICE_WEBHOOK_SECRET: channelSecret },
    logger,
  });
  const evalRuns = connectBus({ url: nats.url, service: "eval-runs", logger: quiet });
  await vi.waitFor(() => expect(evalRuns.status()).toBe("connected"));
  const findings = createFindingStore({ publicAddress: { url: publicUrl, hasDashboard: true } });

  const listDeliveries = async (project: ProjectClient, filter = "") =>
    webhookDeliveryList.parse((await project.send("GET", `/agent-monitoring/webhook-deliveries${filter}`)).body);

  return {
    store,
    ingest,
    receiver,
    evalRuns,
    newProject: (): ProjectClient => createProjectClient(address),
    listDeliveries,

    /** Records a failure the way a check does, and then whatever else happens in its transaction. Answers its trace. */
    async fail({ projectId }: ProjectClient, finding: Partial<Finding> = {}, then?: () => never): Promise<string> {
      const traceId = uuidv7(Date.now());
      const recorded = {
        ...({ patternKey: "custom:refunds", kind: "pattern", polarity: "failure", severity: "high" } as const),
        ...{ agentId: null, traceId, sessionId: null, rating: null, justification: null },
        createdAt: new Date().toISOString(),
        ...finding,
      };
      const texts = { summary: "Refunds matches", rootCause: "It says so.", query: null, responsePreview: null };
      await store.database.scoped([projectId], async (transaction) => {
        await findings.record(transaction, projectId, recorded, { type: "pattern_match", ...texts });
        then?.();
      });
      return traceId;
    },

    async createWebhook(project: ProjectClient, body: object): Promise<{ id: string; secret: string }> {
      const { status, body: reply } = await project.send("POST", "/agent-monitoring/webhooks", body);
      expect(status).toBe(201);
      const { webhook, secret } = webhookSecretReply.parse(reply);
      return { id: webhook._id, secret };
    },

    /** Waits until this many deliveries of the project have ended. */
    untilSettled: (project: ProjectClient, count: number) =>
      vi.waitFor(async () => {
        const { deliveries } = await listDeliveries(project);
        expect(deliveries.filter(({ status }) => status !== "pending")).toHaveLength(count);
        return deliveries;
      }),

    /** Waits until the monitor has tried to handle this event, and answers what it logged about its first try. */
    untilTried: (messageId: string) =>
      vi.waitFor(() => {
        const line = lines.find((each) => each.msg === "bus event taken" && each.messageId === messageId);
        if (line === undefined) throw new Error("the event was not tried");
        return line;
      }),

    async stop(): Promise<void> {
      await evalRuns.drain();
      await service.stop();
      await receiver.stop();
      await ingest.stop();
      await nats.stop();
      await store.close();
    },
  };
}
