import {
  judgeScorerReply,
  modelPriceReply,
  submitTraceReply,
  traceDetail,
  traceEvaluations,
} from "@touchstone/contracts";
import { type ScriptedLlm, startScriptedLlm } from "@touchstone/testkit";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type ApiClient, createClient } from "../src/client.ts";
import { type System, startSystem } from "../src/start-system.ts";

let llm: ScriptedLlm;
let system: System;
let client: ApiClient;

beforeAll(async () => {
  llm = await startScriptedLlm();
  llm.answerWith(() => ({ kind: "verdict", rating: 8, justification: "Good." }));
  system = await startSystem({ settings: { OPENAI_BASE_URL: llm.baseUrl, OPENAI_API_KEY: "sk-scripted" } });
  client = createClient(system);
});

afterAll(async () => {
  await system?.stop();
  await llm?.stop();
});

async function createJudge(name: string): Promise<{ id: string; profileId: string }> {
  const body = { name, judge: { acceptanceCriteria: "Polite." }, online: { sampleRate: 1 } };
  const expected = { status: 201, schema: judgeScorerReply };
  const { judgeScorer } = await client.expect(expected, "POST", "/agent-monitoring/judge-scorers", body);
  return { id: judgeScorer._id, profileId: judgeScorer.online?.profileId ?? "" };
}

async function sendTrace(body: object = {}): Promise<string> {
  const sent = { name: "weather", input: "How is the weather?", output: "Fine.", ...body };
  return (await client.expect({ status: 201, schema: submitTraceReply }, "POST", "/ingest/traces", sent)).traceId;
}

/** Names of the judges that rated a trace. */
async function judgesOf(traceId: string): Promise<string[]> {
  const path = `/agent-monitoring/traces/${traceId}/evaluations`;
  const { evaluations } = await client.expect({ status: 200, schema: traceEvaluations }, "GET", path);
  return evaluations.map(({ evaluatorName }) => evaluatorName).sort();
}

test("a trace is judged by every scorer that was acknowledged before it, and by none that was paused before it", async () => {
  const expected: { traceId: string; names: string[]; paused: string[] }[] = [];
  const live: string[] = [];
  const paused: string[] = [];
  const expectOfNext = async () => expected.push({ traceId: await sendTrace(), names: [...live], paused: [...paused] });
  for (const name of ["a", "b", "c", "d", "e"]) {
    const { id, profileId } = await createJudge(name);
    for (const view of ["ratings", "events", "calibration"]) {
      expect((await client.send("GET", `/monitor/online-evaluators/${profileId}/${view}`)).status).toBe(200);
    }
    live.push(name);
    await expectOfNext();
    if (name !== "b") continue;
    const pause = { online: { enabled: false } };
    expect((await client.send("PUT", `/agent-monitoring/judge-scorers/${id}`, pause)).status).toBe(200);
    paused.push(...live.splice(-1));
    await expectOfNext();
  }

  for (const { traceId, names, paused } of expected) {
    // A scorer that was paused right after a trace may not judge it.
    const certain = names.filter((name) => name !== "b");
    await vi.waitFor(async () => expect(await judgesOf(traceId)).toEqual(expect.arrayContaining(certain)), {
      timeout: 60_000,
      interval: 100,
    });
    for (const name of paused) expect(await judgesOf(traceId)).not.toContain(name);
  }
});

test("the same where monitor was down when the scorer was created and the trace was sent", async () => {
  await system.services.monitor.kill();
  await createJudge("made meanwhile");
  const sent = await Promise.all([sendTrace(), sendTrace()]);
  await system.restart("monitor");

  for (const traceId of sent) {
    await vi.waitFor(async () => expect(await judgesOf(traceId)).toContain("made meanwhile"), {
      timeout: 60_000,
      interval: 100,
    });
  }
});

test("the cost of a trace uses a price that was acknowledged before", async () => {
  const readCost = async (traceId: string) =>
    (await client.expect({ status: 200, schema: traceDetail }, "GET", `/ingest/traces/${traceId}`)).estimatedCostUSD;
  const models = "/agent-monitoring/portability/models";
  for (const id of ["house/1", "house/2", "house/3"]) {
    const traceId = await sendTrace({ model: id, input_tokens: 1_000_000, output_tokens: 1_000_000 });
    expect(await readCost(traceId)).toBeNull();
    const price = { id, provider: "openai", label: "House", pricePerMInputTokens: 3, pricePerMOutputTokens: 1 };
    await client.expect({ status: 201, schema: modelPriceReply }, "POST", models, price);
    expect(await readCost(traceId)).toBeCloseTo(4, 12);
    const dearer = { pricePerMInputTokens: 4 };
    expect((await client.send("PUT", `${models}/${encodeURIComponent(id)}`, dearer)).status).toBe(200);
    expect(await readCost(traceId)).toBeCloseTo(5, 12);
  }
});
