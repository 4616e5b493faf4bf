import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { ScriptTrace } from "@touchstone/contracts";
import { createOutboundFetch, type OutboundOptions } from "@touchstone/service-kit";
import { afterEach, expect, test } from "vitest";
import { askExternal, externalLimits } from "../src/custom-evaluators/ask-external.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections();
});

const trace: ScriptTrace = {
  ...{ traceId: "t1", name: "agent", agentId: "a1", sessionId: null, input: "in", output: "out", error: null },
  ...{ model: null, latencyMs: 1, inputTokens: null, outputTokens: null, metadata: null, spans: [] },
};

async function ask(
  listener: RequestListener,
  { host = "127.0.0.1", ...options }: Partial<OutboundOptions> & { host?: string } = {},
) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  servers.push(server);
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://${host}:${(server.address() as AddressInfo).port}/score`;
  const reach = { allowsPrivateHosts: options.allowsPrivateHosts ?? true };
  const outbound = createOutboundFetch({ ...externalLimits, ...options, ...reach });
  try {
    return await askExternal({ outbound, reach }, { url, id: "e1", name: "Mine", trace }, new AbortController().signal);
  } finally {
    await outbound.close();
    server.close();
  }
}

const answers =
  (body: string, status = 200): RequestListener =>
  (_, response) =>
    void response.writeHead(status).end(body);
const shape = "The scorer's answer must be { matches: boolean, reason?, score?, metadata? }.";

test("an external scorer gets the trace in one POST, and its answer is read", async () => {
  let got = "";
  const asked = await ask((request, response) => {
    request.setEncoding("utf8").on("data", (text) => (got += text));
    request.on("end", () =>
      response.end(JSON.stringify({ matches: true, reason: "rude", score: 1.5, metadata: { a: 1 } })),
    );
  });
  expect(asked).toEqual({ answer: { matches: true, reason: "rude", score: 1, name: null, metadata: { a: 1 } } });
  expect(JSON.parse(got)).toMatchObject({
    ...{ schemaVersion: 2, evaluatorId: "e1", evaluatorName: "Mine", agentId: "a1", traceId: "t1", spans: [] },
    trace: { id: "t1", name: "agent", input: "in", output: "out" },
  });
});

test.each([
  ["garbage", answers("<html>"), "The scorer's answer is not JSON.", "lasting"],
  ["no matches", answers('{"score":1}'), shape, "lasting"],
  ["a score that is none", answers('{"matches":true,"score":"1"}'), shape, "lasting"],
  ["an answer without end", answers("x".repeat(70_000)), "The server's answer is longer than 65536 bytes.", "lasting"],
  ["a refusal", answers("{}", 403), "The scorer answered with status 403.", "lasting"],
  ["a failure", answers("{}", 503), "The scorer answered with status 503.", "passing"],
  ["too many questions", answers("{}", 429), "The scorer answered with status 429.", "passing"],
])("of %s it is rejected with the problem", async (_, listener, message, kind) => {
  expect(await ask(listener)).toEqual({ failure: { message, kind } });
});

test("a redirect is not followed, silence ends, and a host inside is not called where it may not be", async () => {
  const redirect: RequestListener = (_, response) =>
    void response.writeHead(302, { location: "http://127.0.0.1/" }).end();
  expect(await ask(redirect)).toEqual({
    failure: { message: "The scorer answered with a redirect (302), which is not followed.", kind: "lasting" },
  });
  expect(await ask(() => {}, { totalMs: 100 })).toEqual({
    failure: { message: "The server did not answer in time.", kind: "passing" },
  });
  let calls = 0;
  const inside = await ask(() => (calls += 1), { allowsPrivateHosts: false });
  expect(inside).toEqual({
    failure: { message: "The host of the URL has no address that may be called.", kind: "lasting" },
  });
  expect(calls).toBe(0);
});

test("an external scorer whose name does not resolve for a moment is asked again", async () => {
  expect(await ask(answers("{}"), { host: "scorer.example.com", resolveHost: async () => [] })).toEqual({
    failure: { message: "The host of the URL has no address that may be called.", kind: "passing" },
  });
});
