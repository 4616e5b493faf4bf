import type { DemoClient } from "../demo-client.ts";
import { demoJudgeScorers } from "./demo-judges.ts";

/** After the load judges look at a part of whatever comes. */
const sampleRate = 0.25;

/** Patterns and defaults: in place before the first trace, so that they see all of them. */
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

/** Judges by name. Those on live traffic see every trace from now on; {@link relaxJudges} makes it a sample. */
export async function loadJudges(
  client: DemoClient,
  agentIds: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const judges = await readJudges(client);
  for (const { name, description, judge, live } of demoJudgeScorers) {
    if (judges.has(name)) continue;
    const { judgeScorer } = await client.call<{ judgeScorer: { _id: string } }>(
      "POST",
      "/agent-monitoring/judge-scorers",
      {
        name,
        description,
        judge,
        ...(live !== null && {
          online: {
            sampleRate: 1,
            alertThreshold: live.threshold,
            severity: live.severity,
            ...(live.agents !== "all" && {
              scopeMode: "selected",
              agentIds: live.agents.flatMap((agent) => agentIds.get(agent) ?? []),
            }),
          },
        }),
      },
    );
    judges.set(name, judgeScorer._id);
  }
  return judges;
}

export async function relaxJudges(client: DemoClient, judges: ReadonlyMap<string, string>): Promise<void> {
  for (const { name, live } of demoJudgeScorers) {
    if (live !== null) {
      await client.call("PUT", `/agent-monitoring/judge-scorers/${judges.get(name)}`, { online: { sampleRate } });
    }
  }
}

async function readJudges(client: DemoClient): Promise<Map<string, string>> {
  const { judgeScorers } = await client.call<{ judgeScorers: { _id: string; name: string }[] }>(
    "GET",
    "/agent-monitoring/judge-scorers",
  );
  return new Map(judgeScorers.map(({ _id, name }) => [name, _id]));
}
