import { type Route, routes, spentQuotaHeader } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";
import { afterEach, expect, test, vi } from "vitest";
import { createSpentQuotas } from "../src/limits/spent-quotas.ts";
import { apiKey, head, post, sendRaw, startTestGateway, type TestGateway } from "./test-gateway.ts";

const gateways: TestGateway[] = [];

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
});

const message =
  "Daily trace quota reached (7/day for this project). Quota resets at midnight UTC; raise SERVICE_QUOTA_TRACES_PER_DAY to change the ceiling.";

/** A gateway before an ingest that refuses every trace, and counts. */
async function startSpent() {
  const asked = { count: 0 };
  const refuse = async () => {
    asked.count += 1;
    throw new AppError("trace_quota_spent", message, { internalHeaders: { [spentQuotaHeader]: "7;3600000" } });
  };
  const gateway = await startTestGateway({ behind: { submitTrace: refuse, receiveTraces: refuse } });
  gateways.push(gateway);
  return { gateway, asked };
}

test("ingest's answer about an exhausted quota is cached for 5 s: then it is asked again", async () => {
  const { gateway, asked } = await startSpent();
  const now = vi.spyOn(performance, "now");
  const path = routes.submitTrace.path;

  const first = await post(gateway, path, "{}");
  const second = await post(gateway, path, "{}");
  expect([first.status, second.status, asked.count]).toEqual([429, 429, 1]);
  expect(await second.json()).toEqual({ error: message });
  expect(second.headers.has("retry-after")).toBe(false);
  for (const answer of [first, second]) expect(answer.headers.has(spentQuotaHeader)).toBe(false);

  now.mockReturnValue(performance.now() + 5_001);
  await post(gateway, path, "{}");
  expect(asked.count).toBe(2);
});

test("the OTLP routes refuse with the same message and a Retry-After of a minute, before a body is read", async () => {
  const { gateway, asked } = await startSpent();
  await post(gateway, routes.submitTrace.path, "{}");

  for (const route of [routes.receiveTraces, routes.receiveTracesAtBase] as Route[]) {
    const answer = await sendRaw(
      gateway.url,
      head("POST", route.path, { "content-type": "application/x-protobuf", "content-length": "1000000" }),
    );
    expect(answer).toMatch(/^HTTP\/1.1 429 /);
    expect(answer).toContain("retry-after: 60\r\n");
    expect(answer).toContain(JSON.stringify({ error: message }));
  }
  expect(asked.count).toBe(1);
});

test("the three kinds of 429 differ in message and Retry-After, on traces and on exports", {
  tags: ["spec:status.429", "spec:429.rate-limit", "spec:429.queue-full", "spec:429.quota"],
}, async () => {
  const full = "Ingest queue is full - retry with backoff (Retry-After: 1s).";
  const ask = async (refusal: AppError | null, settings: Record<string, string> = {}) => {
    const refuse = async () => {
      if (refusal !== null) throw refusal;
      return { status: 200, body: {} };
    };
    const gateway = await startTestGateway({ behind: { submitTrace: refuse, receiveTraces: refuse }, settings });
    gateways.push(gateway);
    if (refusal === null) await post(gateway, routes.submitTrace.path, "{}");
    const told = [];
    for (const route of [routes.submitTrace, routes.receiveTraces]) {
      const answer = await post(gateway, route.path, "{}");
      expect(answer.status).toBe(429);
      told.push({ body: await answer.json(), patience: answer.headers.get("retry-after") });
    }
    return told;
  };
  const spent = { internalHeaders: { [spentQuotaHeader]: "7;3600000" } };
  const aMinute = expect.stringMatching(/^(60|[45]\d)$/);

  expect(await ask(null, { SERVICE_RATE_LIMIT_DATA_PLANE: "1" })).toEqual([
    { body: { statusCode: 429, message: "Too many requests" }, patience: aMinute },
    { body: { message: "Too many requests" }, patience: aMinute },
  ]);
  expect(await ask(new AppError("queue_full", full))).toEqual([
    { body: { error: full }, patience: "1" },
    { body: { message: full }, patience: "1" },
  ]);
  expect(await ask(new AppError("trace_quota_spent", message, spent))).toEqual([
    { body: { error: message }, patience: null },
    { body: { error: message }, patience: "60" },
  ]);
});

test("reading, logs and other projects are not refused", async () => {
  const { gateway } = await startSpent();
  await post(gateway, routes.submitTrace.path, "{}");

  const listed = await fetch(gateway.url + routes.listTraces.path, { headers: { "x-api-key": apiKey } });
  const logs = await post(gateway, routes.receiveLogs.path, "{}");

  expect([listed.status, logs.status]).toEqual([200, 200]);
});

test("a header about the quota that a client sends has no effect", async () => {
  const gateway = await startTestGateway();
  gateways.push(gateway);

  await post(gateway, routes.submitTrace.path, "{}", { [spentQuotaHeader]: "0;3600000" });
  const answer = await post(gateway, routes.submitTrace.path, "{}", { [spentQuotaHeader]: "0;3600000" });

  expect(answer.status).toBe(200);
  expect(((await answer.json()) as { headers: object }).headers).not.toHaveProperty(spentQuotaHeader);
});

test("only the latest projects with a spent quota are cached", () => {
  const quotas = createSpentQuotas({ entriesMax: 2 });
  for (const project of ["a", "b", "c"]) quotas.note(project, "7;3600000");

  quotas.check("a", routes.submitTrace);
  for (const project of ["b", "c"]) expect(() => quotas.check(project, routes.submitTrace)).toThrow(message);
});
