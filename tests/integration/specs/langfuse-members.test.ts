import { limits, scoreList } from "@touchstone/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { basic, type LangfuseClients, langfuseClients, readOnlyTrace } from "../src/langfuse-clients.ts";
import { useCombined } from "../src/use-combined.ts";

/** What Langfuse's clients send that has no member in Touchstone. */
let langfuse: LangfuseClients;

const { system, client } = useCombined();

beforeAll(() => {
  langfuse = langfuseClients(system.url, system.apiKey);
});

afterAll(async () => {
  await langfuse?.v3.shutdownAsync();
});

const asJson = () => ({ authorization: basic(system.apiKey), "content-type": "application/json" });

test("a score keeps the ids of its client, is found by them, and its other members are in metadata", async () => {
  const [traceId, observationId, datasetRunId] = ["order 8 / å", "call 8", "experiment 8"];
  const sent = { name: "kept", value: 1, traceId, observationId, datasetRunId };
  const more = {
    environment: "staging",
    configId: "config-8",
    queueId: "queue-8",
    metadata: { queueId: "mine", n: 1 },
  };
  expect((await langfuse.ask("/scores", asJson(), "POST", { ...sent, ...more })).status).toBe(200);

  const kept = { peerTraceId: traceId, peerObservationId: observationId, peerRunId: datasetRunId };
  for (const query of [{ traceId }, { spanId: observationId }, { runId: datasetRunId }]) {
    const path = `/scores?${new URLSearchParams(query)}`;
    const { scores } = await client.expect({ status: 200, schema: scoreList }, "GET", path);
    expect(scores, path).toMatchObject([{ name: "kept" }]);
    expect(scores[0]?.metadata).toEqual({
      ...kept,
      environment: "staging",
      configId: "config-8",
      queueId: "mine",
      n: 1,
    });
    const byStored = `/scores?${new URLSearchParams({ traceId: scores[0]?.traceId ?? "" })}`;
    expect((await client.expect({ status: 200, schema: scoreList }, "GET", byStored)).scores).toEqual(scores);
  }
  const lines = await (
    await fetch(`${system.url}/api/v1/export/scores`, { headers: { "x-api-key": system.apiKey } })
  ).text();
  expect(lines).toContain(JSON.stringify(traceId));
});

test("metadata of a score that are no object are stored as an entry, beside what has no other place", async () => {
  const kept = { '"reviewed"': "reviewed", '["a",1.50]': ["a", 1.5], " 7": 7 };
  for (const [index, text] of Object.keys(kept).entries()) {
    const body = `{"name":"odd","value":${index},"traceId":"order 10 / å","environment":"staging","metadata":${text}}`;
    const path = `${system.url}/api/public/scores`;
    expect((await fetch(path, { method: "POST", headers: asJson(), body })).status).toBe(200);
  }

  const { scores } = await client.expect({ status: 200, schema: scoreList }, "GET", "/scores?name=odd");
  const more = { peerTraceId: "order 10 / å", environment: "staging" };
  expect(
    scores.map(({ value, metadata }) => ({ value, metadata })).toSorted((a, b) => Number(a.value) - Number(b.value)),
  ).toEqual(Object.values(kept).map((metadata, value) => ({ value, metadata: { metadata, ...more } })));
});

test("metadata of a score that have no room for more are stored as they were sent", async () => {
  const metadata = { long: "m".repeat(limits.scoreMetadataMaxChars - 20) };
  const sent = { name: "full", value: 1, traceId: "order 9 / å", metadata };
  expect((await langfuse.ask("/scores", asJson(), "POST", sent)).status).toBe(200);

  const path = `/scores?${new URLSearchParams({ traceId: sent.traceId })}`;
  const { scores } = await client.expect({ status: 200, schema: scoreList }, "GET", path);
  expect(scores[0]?.metadata).toEqual(metadata);
});

test("members of a trace that have no other place are in its metadata", async () => {
  const body = { id: "shared", name: "shared-trace", public: true, externalId: "ticket-1", metadata: { n: "1" } };
  const event = { id: "1", type: "trace-create", timestamp: "2026-11-20T10:00:00.000Z", body };
  expect((await langfuse.ask("/ingestion", asJson(), "POST", { batch: [event] })).status).toBe(207);

  const { detail } = await readOnlyTrace(client, "shared-trace");
  expect(detail.metadata).toMatchObject({ peerId: "shared", public: "true", externalId: "ticket-1", n: "1" });
});
