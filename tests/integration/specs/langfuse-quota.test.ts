import { randomUUID } from "node:crypto";
import { ingestHealth } from "@touchstone/contracts";
import { expect, test } from "vitest";
import { createClient } from "../src/client.ts";
import { basic } from "../src/langfuse-clients.ts";
import { useCombined } from "../src/use-combined.ts";
import { waitUntil } from "../src/wait-until.ts";

const { system } = useCombined({ SERVICE_QUOTA_TRACES_PER_DAY: "1" });

test("a batch of Langfuse's events beyond the daily quota is refused as that, and so counted", async () => {
  const headers = { authorization: basic(system.apiKey), "content-type": "application/json" };
  let refused: unknown = null;
  await waitUntil("a batch is refused", async () => {
    const [id, timestamp] = [randomUUID(), new Date().toISOString()];
    const batch = [{ id, type: "trace-create", timestamp, body: { id, name: "many" } }];
    const body = JSON.stringify({ batch, metadata: {} });
    const answer = await fetch(`${system.url}/api/public/ingestion`, { method: "POST", headers, body });
    refused = await answer.json();
    return answer.status === 429;
  });

  expect(refused).toMatchObject({ error: "TraceQuotaSpentError", message: expect.stringContaining("(1/day") });
  const path = "/agent-monitoring/ingest-health";
  const health = await createClient(system).expect({ status: 200, schema: ingestHealth }, "GET", path);
  expect(health.refusals).toMatchObject([{ reason: "trace_quota_spent", count: 1 }]);
});
