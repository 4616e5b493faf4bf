import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { DemoClient } from "../demo-client.ts";

/** Alert rules, and a webhook whose deliveries went through, failed, and were replayed. */
export async function loadNotifications(client: DemoClient, agentIds: ReadonlyMap<string, string>): Promise<void> {
  await loadAlertRules(client, agentIds);
}

export async function loadAlertRules(client: DemoClient, agentIds: ReadonlyMap<string, string>): Promise<void> {
  const { alertRules } = await client.call<{ alertRules: { name: string }[] }>("GET", "/agent-monitoring/alert-rules");
  const rules = [
    {
      name: "Refund agent fails often",
      metric: "failureRate",
      comparison: "above",
      threshold: 0.15,
      windowMinutes: 1_440,
      agentId: agentIds.get("refund-agent"),
      severity: "high",
    },
    {
      name: "Slow answers",
      metric: "p95LatencyMs",
      comparison: "above",
      threshold: 30_000,
      windowMinutes: 60,
      severity: "medium",
    },
    {
      name: "Ratings drop",
      metric: "meanRating",
      comparison: "below",
      threshold: 6,
      windowMinutes: 720,
      severity: "medium",
    },
  ];
  for (const rule of rules) {
    if (!alertRules.some(({ name }) => name === rule.name))
      await client.call("POST", "/agent-monitoring/alert-rules", rule);
  }
}

export interface DemoReceiver {
  url: string;
  /** From now on it answers with this status. */
  answerWith(status: number): void;
  stop(): Promise<void>;
}

/** Where the sample project's webhook goes while it is loaded: a receiver on loopback. */
export async function startReceiver(): Promise<DemoReceiver> {
  let status = 204;
  const server = createServer((request, response: ServerResponse) => {
    request.resume().once("end", () => response.writeHead(status).end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/incidents`,
    answerWith(next) {
      status = next;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
