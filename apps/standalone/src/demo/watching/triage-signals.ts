import type { DemoClient } from "../demo-client.ts";

interface Signal {
  _id: string;
  patternKey: string;
  status: string;
  agentId?: { name: string };
}

/** The states of some signals, by the end of their key and by agent. */
const triaged = [
  { key: "statement-that-changes-data", agent: "sql-analyst", status: "in_review" },
  { key: "asks-for-a-secret", agent: "support-agent", status: "resolved" },
  { key: "negative-feedback", agent: "docs-search", status: "dismissed" },
  { key: "negative-feedback", agent: "research-agent", status: "archived" },
  { key: "refund-promised-too-fast", agent: "refund-agent", status: "in_review" },
];

/** Puts some signals into states as users would leave them. Signals that do not exist (yet) are skipped. */
export async function triageSignals(client: DemoClient): Promise<void> {
  const { signals } = await client.call<{ signals: Signal[] }>("GET", "/monitor/signals?limit=100&polarity=all");
  for (const { key, agent, status } of triaged) {
    const signal = signals.find((each) => each.patternKey.endsWith(key) && each.agentId?.name === agent);
    if (signal?.status === "open") await client.call("PATCH", `/monitor/signals/${signal._id}`, { status });
  }
}
