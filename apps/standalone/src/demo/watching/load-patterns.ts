import type { DemoClient } from "../demo-client.ts";

/** Patterns and defaults, created before the first trace so that they see all of them. */
export async function loadPatterns(client: DemoClient): Promise<void> {
  await client.call("PUT", "/agent-monitoring/settings/monitoring-defaults", {
    enabledBuiltinPatterns: ["secrets-in-response", "pii-in-response", "refusal-response"],
  });
  const { patterns } = await client.call<{ patterns: { name: string }[] }>("GET", "/monitor/patterns");
  for (const pattern of demoPatterns) {
    if (!patterns.some(({ name }) => name === pattern.name)) await client.call("POST", "/monitor/patterns", pattern);
  }
}

const demoPatterns = [
  {
    name: "Asks for a secret",
    description: "The agent asks for a password, a PIN or a card number.",
    detectorKind: "regex",
    regex: "(new password here|its PIN here|number of the new card)",
    matchTarget: ["response"],
    severity: "critical",
  },
  {
    name: "Refund promised too fast",
    description: "Money the next day: no refund is that fast.",
    conditions: [
      { detector: "contains", value: "refund", sources: ["response"] },
      { connector: "and", detector: "contains", value: "tomorrow", sources: ["response"] },
    ],
    severity: "high",
  },
  {
    name: "Statement that changes data",
    description: "The SQL agent may only read.",
    detectorKind: "regex",
    regex: "^\\s*(update|delete|insert|drop)\\b",
    matchTarget: ["response"],
    severity: "critical",
  },
  {
    name: "Handed over to a person",
    description: "Fine, and worth counting.",
    detectorKind: "contains",
    includeTerms: ["passing you to a colleague"],
    matchTarget: ["response"],
    polarity: "proper",
    severity: "low",
  },
];

/** The monitoring of two agents: one with custom thresholds, one without informational signals. */
export async function loadProfiles(client: DemoClient, agentIds: ReadonlyMap<string, string>): Promise<void> {
  const profiles: Record<string, Record<string, unknown>> = {
    "refund-agent": { thresholdOverrides: { latencyThresholdMs: 20_000 } },
    "docs-search": { infoDetectionEnabled: false },
  };
  for (const [name, profile] of Object.entries(profiles)) {
    const agentId = agentIds.get(name);
    if (agentId !== undefined) await client.call("PUT", `/monitor/profiles/${agentId}`, profile);
  }
}
