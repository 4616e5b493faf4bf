import { createDemoClient, type DemoClient } from "./demo-client.ts";
import { loadEvaluation } from "./evaluation/load-evaluation.ts";
import { planLargeTrace } from "./traffic/large-traces.ts";
import type { PlannedTrace, PlannedVisit } from "./traffic/planned-trace.ts";
import { schedule } from "./traffic/schedule.ts";
import { sendCaptures } from "./traffic/send-captures.ts";
import { readTraceIds, sendExport, sendTraffic } from "./traffic/send-traffic.ts";
import { hasAlertRules, loadAlertRules } from "./watching/load-alert-rules.ts";
import { loadVotes, planVotes } from "./watching/load-feedback.ts";
import { loadJudges, loadPatterns, relaxJudges } from "./watching/load-watching.ts";
import { loadWebhooks } from "./watching/load-webhooks.ts";
import type { DemoReceiver } from "./watching/start-receiver.ts";

export interface DemoTarget {
  address: string;
  /** Of the project that is filled. */
  apiKey: string;
  visits: readonly PlannedVisit[];
  /** Spans of the two large traces. */
  largeSpans: readonly number[];
  receiver: DemoReceiver;
  onProgress: (line: string) => void;
}

/**
 * Fills a project with the sample: two weeks of traffic that end now, datasets, runs, judges and what people said. All
 * of it goes through the public API. What is there already stays, and nothing is added to it.
 */
export async function loadDemo(target: DemoTarget): Promise<{ isNew: boolean; traces: number }> {
  const { visits, onProgress } = target;
  const client = createDemoClient(target);
  const nowMs = Date.now();
  await loadWebhooks(client, target.receiver);
  if (await hasAlertRules(client)) return { isNew: false, traces: await countTraces(client) };

  await loadPatterns(client);
  const timed = schedule(visits, nowMs);
  let sent = 0;
  const onSent = (count: number): void => {
    sent += count;
    onProgress(`${sent} of ${timed.length} traces`);
  };
  await sendCaptures(client);
  for (const [index, count] of target.largeSpans.entries()) {
    const name = ["nightly-crawl", "supplier-crawl"][index] ?? `crawl-${index}`;
    for (const piece of planLargeTrace(name, count, nowMs - (index * 24 + 5) * 3_600_000))
      await sendExport(client, [piece]);
  }
  await sendTraffic(
    client,
    timed.filter(({ trace }) => !trace.isJudged),
    onSent,
  );
  const agentIds = await readAgents(client);
  const judges = await loadJudges(client, agentIds);
  await sendTraffic(
    client,
    timed.filter(({ trace }) => trace.isJudged),
    onSent,
  );

  onProgress("datasets, runs and gates");
  const traces = visits.flatMap((visit) => visit.traces);
  const traceIdOf = await readTraceIds(client);
  await loadEvaluation(client, {
    findSource: (scenario) => findTrace(traces, (trace) => trace.scenario === scenario, traceIdOf),
    judges,
  });
  onProgress("votes and alert rules");
  await loadVotes(client, planVotes(traces), traceIdOf);
  await relaxJudges(client, judges);
  await loadAlertRules(client, agentIds);
  return { isNew: true, traces: await countTraces(client) };
}

async function countTraces(client: DemoClient): Promise<number> {
  return (await client.call<{ totalCount: number }>("GET", "/ingest/traces?limit=1")).totalCount;
}

async function readAgents(client: DemoClient): Promise<Map<string, string>> {
  const { agents } = await client.call<{ agents: { _id: string; name: string }[] }>("GET", "/agents");
  return new Map(agents.map(({ _id, name }) => [name, _id]));
}

function findTrace(
  traces: readonly PlannedTrace[],
  isWanted: (trace: PlannedTrace) => boolean,
  traceIdOf: (trace: PlannedTrace) => string | null,
): string | null {
  const trace = traces.findLast(isWanted);
  return trace === undefined ? null : traceIdOf(trace);
}
