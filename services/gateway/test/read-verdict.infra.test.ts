import { type Bus, connectBus } from "@touchstone/bus";
import { readVerdictRecord, type VerdictRecord } from "@touchstone/contracts";
import { createLogger } from "@touchstone/service-kit";
import { startTestNats, type TestNats } from "@touchstone/testkit";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { apiKey, projectId, startTestGateway, type TestGateway } from "./test-gateway.ts";

const verdictId = "01999999-0000-7000-8000-000000000001";
const record: VerdictRecord = {
  id: verdictId,
  scorerId: "primary",
  scorerVersion: null,
  scorerName: null,
  model: "m",
  rubric: {
    acceptanceCriteria: "Polite.",
    rejectionCriteria: null,
    evaluationCriteria: null,
    judgePrompt: null,
    toolContext: "simple",
    requiresExpected: false,
  },
  instructions: "Judge.",
  prompt: "Is it good?",
  reply: '{"rating": 7}',
  rating: 7,
  justification: "Good.",
  skipCode: null,
  source: "live",
  questions: 1,
  tokens: { input: 100, output: 20 },
  costUSD: 0.0001,
  latencyMs: 812,
  truncated: false,
  createdAt: "2026-01-01T00:00:00.000Z",
};

let nats: TestNats;
let gateway: TestGateway;
let judge: Bus;
const asked: unknown[] = [];

beforeAll(async () => {
  nats = await startTestNats();
  gateway = await startTestGateway({ settings: { SERVICE_NATS_URL: nats.url } });
  judge = connectBus({ url: nats.url, service: "judge", logger: createLogger({ service: "judge", level: "silent" }) });
  const answer = async (body: { projectId: string; verdictId: string }) => {
    asked.push(body);
    return { verdict: body.verdictId === verdictId ? record : null };
  };
  await judge.answer(readVerdictRecord, answer, { concurrency: 4 });
  await vi.waitFor(() => expect(judge.status()).toBe("connected"));
});

afterAll(async () => {
  await gateway?.stop();
  await judge?.drain();
  await nats?.stop();
});

async function read(id: string, headers: Record<string, string> = { "x-api-key": apiKey }) {
  const response = await fetch(`${gateway.url}/api/v1/verdicts/${id}`, { headers });
  return { status: response.status, body: (await response.json()) as unknown };
}

test("the judge is asked for the record in the key's project, and it is shown as it is", async () => {
  await vi.waitFor(async () => expect(await read(verdictId)).toEqual({ status: 200, body: record }));
  expect(asked.at(-1)).toEqual({ projectId, verdictId });
});

test("a missing record and a malformed id are 404", async () => {
  const missing = { status: 404, body: { error: "Verdict record not found, or no longer kept" } };
  expect(await read("01999999-0000-7000-8000-0000000000ff")).toEqual(missing);
  const before = asked.length;
  for (const id of ["primary", "%00", verdictId.toUpperCase().replace("01", "AB")])
    expect(await read(id)).toEqual(missing);
  expect(asked).toHaveLength(before);
});

test("the record of a verdict is 401 without a key, and 503 without a judge", async () => {
  expect((await read(verdictId, {})).status).toBe(401);
  await judge.drain();
  expect(await read(verdictId)).toEqual({
    status: 503,
    body: { statusCode: 503, message: "The judge service could not answer; retry." },
  });
});
