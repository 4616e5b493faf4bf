import type { DemoClient } from "../demo-client.ts";

const rulesPath = "/agent-monitoring/alert-rules";

/** The rule that is created last: if it exists, the sample project is complete. */
const lastRule = "Ratings drop";

/** Alert rules over the last minutes and hours; the first of them fires on the sample traffic. */
export async function loadAlertRules(client: DemoClient, agentIds: ReadonlyMap<string, string>): Promise<void> {
  const known = await readNames(client);
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
    { name: "Slow answers", metric: "p95LatencyMs", comparison: "above", threshold: 30_000, windowMinutes: 60 },
    { name: lastRule, metric: "meanRating", comparison: "below", threshold: 6, windowMinutes: 720 },
  ];
  for (const rule of rules) if (!known.includes(rule.name)) await client.call("POST", rulesPath, rule);
}

export async function hasAlertRules(client: DemoClient): Promise<boolean> {
  return (await readNames(client)).includes(lastRule);
}

async function readNames(client: DemoClient): Promise<string[]> {
  const { alertRules } = await client.call<{ alertRules: { name: string }[] }>("GET", rulesPath);
  return alertRules.map(({ name }) => name);
}
