import { randomBytes } from "node:crypto";
import { judgeScorerReply, traceList, trackedAgentList } from "@touchstone/contracts";
import type { LlmReply, RecordedLlmRequest } from "@touchstone/testkit";
import type { z } from "zod";
import { createClient } from "../../integration/src/client.ts";
import { waitUntil } from "../../integration/src/wait-until.ts";
import { type ClientFigures, readClientFigures } from "./client-figures.ts";
import type { ExportedSpan } from "./otlp-export.ts";

export const spansPerTrace = 5;
const judgedAgent = "judged";
const judgedEvery = 50;
const failingEvery = 20;
const agents = 4;
const tokens = { prompt: 100, completion: 20 };
const alertThreshold = 5;
const [lowRating, highRating] = [2, 9];

const isJudged = (number: number): boolean => number % judgedEvery === 0;
const isRatedLow = (number: number): boolean => number % (2 * judgedEvery) === 0;
const hasFailingTool = (number: number): boolean => number % failingEvery === failingEvery / 2;

/**
 * The spans of the trace with a number: an agent that calls a model twice, a tool, and something else. The tool of every
 * twentieth fails; every fiftieth is of the agent that a live judge watches.
 */
export function buildTrace(number: number): ExportedSpan[] {
  const traceId = randomBytes(16).toString("hex");
  const rootId = randomBytes(8).toString("hex");
  const startNano = BigInt(Date.now()) * 1_000_000n;
  const span = (name: string, spanId: string, attributes: Record<string, string>): ExportedSpan => ({
    traceId,
    spanId,
    parentSpanId: spanId === rootId ? null : rootId,
    name,
    startNano,
    endNano: startNano + 5_000_000n,
    attributes,
  });
  const child = (operation: string, attributes: Record<string, string>): ExportedSpan =>
    span(operation, randomBytes(8).toString("hex"), { "gen_ai.operation.name": operation, ...attributes });
  const call = {
    "gen_ai.request.model": "gpt-4o-mini",
    "gen_ai.usage.input_tokens": String(tokens.prompt),
    "gen_ai.usage.output_tokens": String(tokens.completion),
  };
  return [
    span("invoke_agent", rootId, {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": isJudged(number) ? judgedAgent : `agent ${Math.floor(number / failingEvery) % agents}`,
      "input.value": `The question of trace ${number}.`,
      "output.value": `The answer of trace ${number}.`,
    }),
    child("chat", call),
    child("chat", call),
    child("execute_tool", { "gen_ai.tool.name": "search", ...(hasFailingTool(number) && { "error.type": "timeout" }) }),
    child("plan", {}),
  ];
}

/** The provider: it rates every second judged trace below the threshold. */
export function rateTrace({ prompt }: RecordedLlmRequest): LlmReply {
  const number = Number(/The answer of trace (\d+)\./.exec(prompt)?.[1]);
  return { kind: "verdict", rating: isRatedLow(number) ? lowRating : highRating, justification: "As the script says." };
}

/** What a client reads after traces with the numbers from `first` to before `end` have come to a project with `before`. */
export function expectFigures(before: ClientFigures, first: number, end: number): ClientFigures {
  const numbers = Array.from({ length: end - first }, (_, index) => first + index);
  const count = (matches: (number: number) => boolean): number => numbers.filter(matches).length;
  const traces = numbers.length;
  const [judged, low, failing] = [count(isJudged), count(isRatedLow), count(hasFailingTool)];
  const added: ClientFigures = {
    exportedSpans: traces * spansPerTrace,
    distinctSpans: traces * spansPerTrace,
    listedTraces: traces,
    distinctTraces: traces,
    totalCount: traces,
    tracesUsedToday: traces,
    tracesOfAgents: traces,
    spansInMetrics: traces * spansPerTrace,
    tracesInMetrics: traces,
    promptTokens: traces * 2 * tokens.prompt,
    completionTokens: traces * 2 * tokens.completion,
    toolCalls: traces,
    toolFailures: failing,
    settledRuns: traces,
    failingRuns: failing + low,
    toolFailureFindings: failing,
    runsOfAgents: traces,
    tracesOfModels: traces,
    judgeCallsUsedToday: judged,
    verdictsInLists: judged,
    ratings: judged,
    ratingEvents: judged + failing,
    signalOccurrences: low,
  };
  return Object.fromEntries(
    Object.entries(added).map(([name, value]) => [name, before[name as keyof ClientFigures] + value]),
  ) as unknown as ClientFigures;
}

/**
 * Attaches a live judge to the judged agent, and sends traces of that agent until the judge is known everywhere. Returns
 * what a client reads then, and the number of the next trace.
 */
export async function startWatching(
  project: { url: string; apiKey: string },
  send: (spans: readonly ExportedSpan[]) => Promise<void>,
): Promise<{ evaluatorId: string; before: ClientFigures; next: number }> {
  const client = createClient(project);
  let sent = 0;
  const sendJudged = async (): Promise<void> => {
    await send(buildTrace(sent));
    sent += judgedEvery;
  };
  const read = <Schema extends z.ZodType>(route: string, schema: Schema): Promise<z.output<Schema>> =>
    client.expect({ status: 200, schema }, "GET", route);

  await sendJudged();
  let agentId: string | undefined;
  await waitUntil("the agent is known", async () => {
    const { agents: known } = await read("/ingest/tracked-agents", trackedAgentList);
    agentId = known.find(({ name }) => name === judgedAgent)?._id;
    return agentId !== undefined;
  });
  const online = { sampleRate: 1, alertThreshold, scopeMode: "selected", agentIds: [agentId] };
  const { judgeScorer } = await client.expect(
    { status: 201, schema: judgeScorerReply },
    "POST",
    "/agent-monitoring/judge-scorers",
    { name: "Tone", judge: { acceptanceCriteria: "Judge the tone." }, online },
  );
  const evaluatorId = judgeScorer.online?.profileId as string;
  await waitUntil("the judge is known", async () => {
    await sendJudged();
    const isJudged = async (): Promise<boolean> =>
      (await read("/ingest/traces?limit=1", traceList)).traces[0]?.judgeScores != null;
    await waitUntil("the newest trace is judged", isJudged, { timeoutMs: 10_000 });
    return true;
  });
  let before: ClientFigures | undefined;
  await waitUntil("all judgements are counted", async () => {
    before = await readClientFigures(project, evaluatorId);
    const { settledRuns, totalCount, judgeCallsUsedToday, ratings, verdictsInLists } = before;
    return settledRuns === totalCount && judgeCallsUsedToday === ratings && ratings === verdictsInLists;
  });
  return { evaluatorId, before: before as ClientFigures, next: sent };
}
