import { createDemoClient, type DemoClient } from "./demo-client.ts";
import type { FindSource } from "./evaluation/demo-datasets.ts";
import { loadEvaluation } from "./evaluation/load-evaluation.ts";
import { loadPrompts } from "./evaluation/load-prompts.ts";
import { borrowDemoJudge } from "./judge/borrow-demo-judge.ts";
import { agents } from "./traffic/agents.ts";
import { planLargeTrace } from "./traffic/large-traces.ts";
import type { PlannedTrace, PlannedVisit } from "./traffic/planned-trace.ts";
import { schedule } from "./traffic/schedule.ts";
import { sendCaptures } from "./traffic/send-captures.ts";
import { readTraceIds, sendExport, sendTraffic } from "./traffic/send-traffic.ts";
import { awaitSettled, awaitVerdicts } from "./watching/await-checks.ts";
import { hasAlertRules, loadAlertRules } from "./watching/load-alert-rules.ts";
import { loadVotes, planVotes } from "./watching/load-feedback.ts";
import { judgeConversations, loadJudges, setSampleRate } from "./watching/load-judges.ts";
import { loadPatterns, loadProfiles } from "./watching/load-patterns.ts";
import { loadWebhooks } from "./watching/load-webhooks.ts";
import type { DemoReceiver } from "./watching/start-receiver.ts";
import { triageSignals } from "./watching/triage-signals.ts";

export interface DemoTarget {
  address: string;
  /** The key of the project to fill. */
  apiKey: string;
  visits: readonly PlannedVisit[];
  /** The number of spans of each large trace, the newest first. */
  largeSpans: readonly number[];
  receiver: DemoReceiver;
  /** The URL of the scripted judge to use while the sample is loaded; null: the services use it already. */
  borrowedJudge: string | null;
  onProgress: (line: string) => void;
}

/**
 * The wait for verdicts is short, since they may arrive while users look around; it is long if the judge has to be switched back.
 */
const waitMs = { own: 10_000, borrowed: 120_000 };

/**
 * Fills a project with the sample: two weeks of traffic that end now, datasets, runs, judges and feedback. All of it goes through
 * the public API, so verdicts, signals, gates and deliveries have the time of the load, unless they use the time of their trace.
 * Existing data is unchanged, and nothing is added to it.
 */
export async function loadDemo(target: DemoTarget): Promise<{ isNew: boolean; traces: number }> {
  const client = createDemoClient(target);
  await loadWebhooks(client, target.receiver);
  const isNew = !(await hasAlertRules(client));
  const { borrowedJudge } = target;
  if (isNew && borrowedJudge === null) await load(client, target);
  else if (isNew && borrowedJudge !== null) await borrowDemoJudge(client, borrowedJudge, () => load(client, target));
  const { totalCount } = await client.call<{ totalCount: number }>("GET", "/ingest/traces?limit=1");
  return { isNew, traces: totalCount };
}

/**
 * Sends judged traffic first, while judges rate every trace, and the rest while they rate none: a random sample would differ from
 * load to load. Slow steps run while the judges work.
 */
async function load(client: DemoClient, { visits, largeSpans, borrowedJudge, onProgress }: DemoTarget): Promise<void> {
  const nowMs = Date.now();
  // Newest first, like the conversations that are judged during the load.
  const timed = schedule(visits, nowMs).reverse();
  const [judged = [], others = []] = [true, false].map((is) => timed.filter(({ trace }) => trace.isJudged === is));
  let sent = 0;
  const onSent = (count: number): void => {
    sent += count;
    onProgress(`${sent} of ${timed.length} traces`);
  };

  await loadPatterns(client);
  const agentIds = await loadAgents(client);
  await loadProfiles(client, agentIds);
  const judges = await loadJudges(client, agentIds);
  await sendTraffic(client, judged, onSent);

  onProgress("prompts, datasets, runs and gates");
  await loadPrompts(client);
  const traceIdOf = await readTraceIds(client);
  const traces = judged.map(({ trace }) => trace);
  await loadEvaluation(client, { findSource: sourceFinder(traces, traceIdOf), judges });
  onProgress("votes");
  await loadVotes(client, planVotes(traces), traceIdOf);
  await awaitSettled(client);
  // Before the judges of conversations get their delay of two minutes of silence.
  await judgeConversations(client);
  await setSampleRate(client, judges, 0);

  await sendTraffic(client, others, onSent);
  await sendCaptures(client);
  await sendLargeTraces(client, largeSpans, nowMs);
  await awaitVerdicts(client, {
    judgeId: judges.get("Helpful") ?? "",
    count: judged.length,
    waitMs: borrowedJudge === null ? waitMs.own : waitMs.borrowed,
    onProgress: (rated) => onProgress(`${rated} of ${judged.length} verdicts`),
  });
  await triageSignals(client);
  await awaitSettled(client);
  await setSampleRate(client, judges, sampleRate);
  await loadAlertRules(client, agentIds);
}

/** The sample rate of judges after the load. */
const sampleRate = 0.25;

/** Finds the newest judged trace of a scenario. */
function sourceFinder(traces: readonly PlannedTrace[], traceIdOf: (trace: PlannedTrace) => string | null): FindSource {
  return (scenario) => {
    const trace = traces.find((each) => each.scenario === scenario);
    return trace === undefined ? null : traceIdOf(trace);
  };
}

/** Ids of the agents by name. Agents are registered before their first trace. */
async function loadAgents(client: DemoClient): Promise<Map<string, string>> {
  const known = await client.call<{ agents: { _id: string; name: string }[] }>("GET", "/agents");
  const ids = new Map(known.agents.map(({ _id, name }) => [name, _id]));
  for (const { name } of agents) {
    if (ids.has(name)) continue;
    const { agent } = await client.call<{ agent: { _id: string } }>("POST", "/agents", { name });
    ids.set(name, agent._id);
  }
  return ids;
}

const largeTraceNames = ["nightly-crawl", "supplier-crawl"];
/** The first large trace ended this long ago, outside the day that the overview shows; each further one a day earlier. */
const crawlEndedMs = 53 * 3_600_000;
const dayMs = 24 * 3_600_000;

async function sendLargeTraces(client: DemoClient, sizes: readonly number[], nowMs: number): Promise<void> {
  for (const [index, count] of sizes.entries()) {
    const name = largeTraceNames[index] ?? `crawl-${index}`;
    const pieces = planLargeTrace(name, count, nowMs - crawlEndedMs - index * dayMs);
    for (const piece of pieces) await sendExport(client, [piece]);
  }
}
