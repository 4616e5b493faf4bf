import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import {
  agentFigures,
  exportIndex,
  kpis,
  liveRatings,
  metrics,
  modelComparison,
  signalList,
  topFailing,
  traceList,
  trackedAgentList,
  usage,
} from "@touchstone/contracts";
import type { z } from "zod";
import { createHttpClient } from "./http-client.ts";

/** Every number by which a client could notice that something of a project's last 24 hours was stored or counted twice. */
export interface ClientFigures {
  exportedSpans: number;
  /** By trace id and span id. */
  distinctSpans: number;
  listedTraces: number;
  distinctTraces: number;
  totalCount: number;
  tracesUsedToday: number;
  tracesOfAgents: number;
  spansInMetrics: number;
  tracesInMetrics: number;
  promptTokens: number;
  completionTokens: number;
  toolCalls: number;
  toolFailures: number;
  settledRuns: number;
  failingRuns: number;
  toolFailureFindings: number;
  runsOfAgents: number;
  tracesOfModels: number;
  judgeCallsUsedToday: number;
  verdictsInLists: number;
  ratings: number;
  /** Failures of tools and ratings. */
  ratingEvents: number;
  signalOccurrences: number;
}

interface Project {
  url: string;
  apiKey: string;
}

/** Reads a route and checks the answer against its schema. */
type Read = <Schema extends z.ZodType>(route: string, schema: Schema) => Promise<z.output<Schema>>;

/**
 * Reads the whole export and every page of the list, so it takes a second for some thousand spans. Repeats what is
 * answered 503.
 */
export async function readClientFigures(project: Project, evaluatorId: string): Promise<ClientFigures> {
  const client = createHttpClient({ urls: [project.url], apiKey: project.apiKey });
  try {
    const read: Read = async (route, schema) => schema.parse(await client.read(route));
    return await readAll(project, evaluatorId, read);
  } finally {
    await client.close();
  }
}

async function readAll(project: Project, evaluatorId: string, read: Read): Promise<ClientFigures> {
  const monitoring = "/agent-monitoring";
  const day = "window=24h";

  const used = await read(`${monitoring}/usage`, usage);
  const { totals } = await read(`${monitoring}/metrics?${day}`, metrics);
  const { breakdown } = await read(`/monitor/kpis?${day}`, kpis);
  const { patterns } = await read(`${monitoring}/top-failing?${day}`, topFailing);
  const { agents: runs } = await read(`${monitoring}/agent-figures?${day}`, agentFigures);
  const { models } = await read(`${monitoring}/model-comparison?${day}`, modelComparison);
  const { agents } = await read("/ingest/tracked-agents", trackedAgentList);
  const { points } = await read(`/monitor/online-evaluators/${evaluatorId}/ratings?${day}`, liveRatings);
  const { signals } = await read("/monitor/signals?limit=100&polarity=all&view=summary", signalList);
  const { entities } = await read("/export", exportIndex);
  const exported = await readExport(project);
  const listed = await readList(read);
  return {
    exportedSpans: exported.length,
    distinctSpans: new Set(exported).size,
    listedTraces: listed.ids.length,
    distinctTraces: new Set(listed.ids).size,
    totalCount: listed.totalCount,
    verdictsInLists: listed.verdicts,
    tracesUsedToday: used.traces.used,
    judgeCallsUsedToday: used.onlineJudgeCalls.used,
    tracesOfAgents: sum(agents.map(({ traceCount }) => traceCount)),
    spansInMetrics: totals.spansLlm + totals.spansTool + totals.spansRetrieval + totals.spansOther,
    tracesInMetrics: totals.traces,
    promptTokens: totals.tokensPrompt,
    completionTokens: totals.tokensCompletion,
    toolCalls: totals.toolCalls,
    toolFailures: totals.toolFailures,
    settledRuns: breakdown.totalRuns,
    failingRuns: breakdown.failingRuns,
    toolFailureFindings: sum(patterns.filter(({ kind }) => kind === "operational").map(({ count }) => count)),
    runsOfAgents: sum(runs.map(({ totalRuns }) => totalRuns)),
    tracesOfModels: sum(models.map(({ traces }) => traces)),
    ratings: sum(points.map(({ count }) => count)),
    ratingEvents: entities.find(({ entity }) => entity === "events")?.rows ?? 0,
    signalOccurrences: sum(signals.map(({ occurrenceCount }) => occurrenceCount)),
  };
}

/** The ids of every exported span: its trace's and its own. */
export async function readExport({ url, apiKey }: Project): Promise<string[]> {
  const response = await fetch(`${url}/api/v1/export/traces`, { headers: { "x-api-key": apiKey } });
  if (response.status !== 200 || response.body === null) throw new Error(`the export answered ${response.status}`);
  const ids: string[] = [];
  for await (const line of createInterface({ input: Readable.fromWeb(response.body) })) {
    const { otelTraceId, spanId } = JSON.parse(line) as { otelTraceId: string; spanId: string };
    ids.push(`${otelTraceId} ${spanId}`);
  }
  return ids;
}

async function readList(read: Read): Promise<{ ids: string[]; totalCount: number; verdicts: number }> {
  const ids: string[] = [];
  let [totalCount, verdicts] = [0, 0];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const route: string = `/ingest/traces?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const page = await read(route, traceList);
    ids.push(...page.traces.map(({ _id }) => _id));
    verdicts += sum(page.traces.map(({ judgeScores }) => judgeScores?.judgeCount ?? 0));
    ({ totalCount, nextCursor: cursor } = page);
  }
  return { ids, totalCount, verdicts };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
