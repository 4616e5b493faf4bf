import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test, vi } from "vitest";
import { composeAlertRule } from "../src/alerts/alert-rule.ts";
import { evaluateRules } from "../src/alerts/evaluate-rules.ts";
import { quiet, useTestStore } from "./test-store.ts";

const store = useTestStore();

test("a rule with a lower limit waits while traces may be on their way over the bus, and decides when the bus is back", async () => {
  const projectId = randomUUID();
  for (const [comparison, threshold] of [
    ["below", 1],
    ["above", -1],
  ] as const) {
    const rule = { name: comparison, metric: "traceCount", comparison, threshold, windowMinutes: 10 } as const;
    await store.query(
      `insert into monitor.alert_rules (project_id, id, document, enabled, created_at, updated_at)
       values ($1, gen_random_uuid(), $2, true, now(), now())`,
      [projectId, JSON.stringify(composeAlertRule({ ...rule, cooldownMinutes: 1_440 }, null))],
    );
  }
  let status: "connected" | "disconnected" = "disconnected";
  const raised: string[] = [];
  const evaluation = evaluateRules({
    ...{ database: store.database, maintenance: store.maintenance, logger: quiet },
    findings: { raise: async (_transaction, _projectId, _finding, { summary }) => void raised.push(summary) },
    bus: { status: () => status },
    timings: { everyMs: 300, pollMs: 20 },
  });
  onTestFinished(() => evaluation.stop());

  await vi.waitFor(() => expect(raised).toEqual([expect.stringContaining("Rule: above.")]));
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(raised).toHaveLength(1);

  status = "connected";
  await vi.waitFor(() => expect(raised).toEqual([expect.anything(), expect.stringContaining("Rule: below.")]));
});
