import { Readable } from "node:stream";
import { type RouteId, routes } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { apiKey, head, mebibyte, sendRaw, startTestGateway, type TestGateway } from "./test-gateway.ts";

const withKey = { "x-api-key": apiKey };
const asked: string[] = [];
/** Answers `body` and notes that the service was asked. */
const answer =
  (id: RouteId, status: number, body: unknown): Handler =>
  async () => {
    asked.push(id);
    return { status, body, headers: { "cache-control": "no-store" } };
  };

const behind = {
  listTraces: answer("listTraces", 200, { traces: [] }),
  getTrace: answer("getTrace", 404, { error: "Trace not found" }),
  getRun: answer("getRun", 200, { text: "x".repeat(3 * mebibyte) }),
  getReport: async () => ({ status: 200, body: Readable.from(["{}"]) }),
  exportTraces: answer("exportTraces", 200, "{}\n"),
  streamTraces: answer("streamTraces", 200, "data: {}\n\n"),
};

let gateway: TestGateway;
let local: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({ behind });
  local = await startTestGateway({ behind, isLocal: true });
});

afterAll(async () => {
  await Promise.all([gateway?.stop(), local?.stop()]);
});

/** Headers that differ from answer to answer, and those of the connection. */
const ofOneAnswer = ["date", "x-request-id", "ratelimit", "connection", "keep-alive", "transfer-encoding"];

async function ask(url: string, method: string, headers: Record<string, string>) {
  const response = await fetch(url, { method, headers });
  const text = await response.text();
  const kept = [...response.headers].filter(([name]) => !ofOneAnswer.includes(name));
  return { status: response.status, headers: Object.fromEntries(kept), text };
}

test.each([
  ["/health", {}, 200],
  ["/api/v1/health", {}, 200],
  ["/health/ready", {}, 200],
  ["/metrics", {}, 200],
  ["/openapi.json", {}, 200],
  [routes.listTraces.path, withKey, 200],
  [routes.listTraces.path, {}, 401],
  ["/api/v1/ingest/traces/none", withKey, 404],
  ["/api/v1/custom-agent-evaluations/runs/large", withKey, 200],
  ["/api/v1/custom-agent-evaluations/runs/piecemeal/report", withKey, 200],
  ["/nothing", {}, 404],
])("HEAD %s is answered as GET is, without the body", async (path, headers, status) => {
  for (const { url } of [gateway, local]) {
    const got = await ask(url + path, "GET", headers);
    const headed = await ask(url + path, "HEAD", headers);

    expect([got.status, headed.status, headed.text]).toEqual([status, status, ""]);
    // The metrics grow as they are read.
    if (path === "/metrics") delete got.headers["content-length"];
    expect(headed.headers).toMatchObject(got.headers);
  }
});

test("after the answer to a HEAD request its connection takes the next request", async () => {
  const path = "/api/v1/custom-agent-evaluations/runs/large";
  const first = head("HEAD", path).replace("connection: close\r\n", "");

  const received = await sendRaw(gateway.url, first, head("GET", routes.listTraces.path));

  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200"]);
  expect(received.endsWith('{"traces":[]}')).toBe(true);
});

test.each([
  ["streamTraces", "text/event-stream"],
  ["exportTraces", "application/x-ndjson"],
] as const)("HEAD of %s is answered at once and opens no stream", async (id, contentType) => {
  asked.length = 0;

  const headed = await ask(gateway.url + routes[id].path, "HEAD", withKey);
  const refused = await ask(gateway.url + routes[id].path, "HEAD", {});

  expect([headed.status, headed.headers["content-type"], refused.status]).toEqual([200, contentType, 401]);
  expect(asked).toEqual([]);
});

test("HEAD is 405 for a path that has no GET", async () => {
  const { status, headers } = await ask(gateway.url + routes.receiveTraces.path, "HEAD", withKey);

  expect([status, headers.allow]).toEqual([405, "POST"]);
});
