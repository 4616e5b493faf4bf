import { readFile } from "node:fs/promises";
import path from "node:path";
import { comparableRows, requestsOf } from "@touchstone/testkit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type ApiClient, createClient } from "../src/client.ts";
import { basic } from "../src/langfuse-clients.ts";
import { useCombined } from "../src/use-combined.ts";

/**
 * Networks repeat and reorder what clients send, and clients cut it into requests as they like. What was captured from Langfuse's clients
 * must become the same rows however that happens.
 */
const fixtures = path.resolve(import.meta.dirname, "../../../fixtures");

const { system } = useCombined({ SERVICE_RATE_LIMIT: "off" });
const readJson = async (file: string) => JSON.parse(await readFile(path.join(fixtures, file), "utf8"));

/** A capture as pieces, and how some of them are sent as one request. */
interface Capture {
  pieces: readonly object[];
  route: string;
  bodyOf(pieces: readonly object[]): unknown;
}

async function readEvents(): Promise<Capture> {
  const { batch } = await readJson("langfuse/js-3.39.2.ingestion.json");
  return { pieces: batch, route: "/ingestion", bodyOf: (pieces) => ({ batch: pieces }) };
}

/** Each span of the exports by itself, with its resource and scope. */
async function readSpans(): Promise<Capture> {
  const names = ["01", "02", "03", "04"];
  const exports = await Promise.all(names.map((name) => readJson(`otlp/langfuse/${name}.traces.json`)));
  const pieces = exports
    .flatMap((body) => body.resourceSpans)
    .flatMap(({ scopeSpans, ...resource }) =>
      scopeSpans.flatMap(({ spans, ...scope }: { spans: object[] }) =>
        spans.map((span) => ({ ...resource, scopeSpans: [{ ...scope, spans: [span] }] })),
      ),
    );
  return { pieces, route: "/otel/v1/traces", bodyOf: (resourceSpans) => ({ resourceSpans }) };
}

/** A client of a new project. */
async function openProject(): Promise<ApiClient & { apiKey: string }> {
  const answer = await createClient(system).send("POST", "/projects", { name: "pieces" });
  const { project } = answer.body as { project: { apiKey: string } };
  return { ...createClient({ url: system.url, apiKey: project.apiKey }), apiKey: project.apiKey };
}

/** Sends the requests to a new project; returns all that it shows afterwards. */
async function rowsAfter({ route, bodyOf }: Capture, requests: readonly (readonly object[])[]): Promise<unknown> {
  const client = await openProject();
  const headers = { authorization: basic(client.apiKey), "content-type": "application/json" };
  for (const pieces of requests) {
    const body = JSON.stringify(bodyOf(pieces));
    const answer = await fetch(`${system.url}/api/public${route}`, { method: "POST", headers, body });
    expect(answer.ok, await answer.clone().text()).toBe(true);
    expect(await answer.json()).not.toMatchObject({ errors: [expect.anything()] });
  }
  const read = async (path: string) => (await client.send("GET", path)).body as Record<string, never[]>;
  const { traces = [], totalCount } = await read("/ingest/traces?limit=100");
  const { scores } = await read("/scores?limit=100");
  const shown = await Promise.all(
    traces.map(async ({ _id }) => {
      const { spans = [] } = await read(`/ingest/traces/${_id}/outline`);
      return Promise.all(spans.map((span: { _id: string }) => read(`/ingest/traces/${span._id}`)));
    }),
  );
  return comparableRows({ totalCount, traces, shown, scores });
}

test.each([
  ["the events of version 3", readEvents],
  ["the spans of version 5", readSpans],
])("%s become the same rows, however they are permuted, repeated and cut over requests", async (_what, capture) => {
  const captured = await capture();
  const expected = await rowsAfter(captured, [captured.pieces]);
  expect(JSON.stringify(expected)).toContain("weather-agent");

  await fc.assert(
    fc.asyncProperty(requestsOf(captured.pieces), async (requests) => {
      expect(await rowsAfter(captured, requests)).toEqual(expected);
    }),
    { numRuns: 10, endOnFailure: true },
  );
});

test("a trace whose observations come in more than a thousand requests is whole", async () => {
  const client = await openProject();
  const headers = { authorization: basic(client.apiKey), "content-type": "application/json" };
  const count = 1_010;
  const at = (second: number): string => new Date(Date.UTC(2026, 0, 5) + second * 1_000).toISOString();
  const send = async (id: string, type: string, timestamp: string, body: object): Promise<void> => {
    const sent = JSON.stringify({ batch: [{ id, type, timestamp, body }] });
    const answer = await fetch(`${system.url}/api/public/ingestion`, { method: "POST", headers, body: sent });
    expect(await answer.json()).toMatchObject({ successes: [{ id }], errors: [] });
  };
  await send("begun", "trace-create", at(0), { id: "long", timestamp: at(0), name: "long-journey" });
  const steps = Array.from({ length: count }, (_, index) => index);
  while (steps.length > 0) {
    await Promise.all(
      steps.splice(0, 30).map((step) => {
        const body = { id: `step ${step}`, traceId: "long", startTime: at(step), endTime: at(step + 1) };
        return send(`of step ${step}`, "generation-create", at(step), {
          ...body,
          usageDetails: { input: 2, output: 1 },
        });
      }),
    );
  }
  await send("ended", "trace-create", at(count), { id: "long", timestamp: at(0), output: "done" });

  const { traces } = (await client.send("GET", "/ingest/traces")).body as { traces: { _id: string }[] };
  expect(traces).toMatchObject([{ name: "long-journey" }]);
  const shown = await client.send("GET", `/ingest/traces/${traces[0]?._id}`);
  const tokens = { inputTokens: 2 * count, outputTokens: count };
  expect(shown.body).toMatchObject({ output: "done", startedAt: at(0), latencyMs: count * 1_000, ...tokens });
  const { spans } = (await client.send("GET", `/ingest/traces/${traces[0]?._id}/outline`)).body as { spans: unknown[] };
  expect(spans).toHaveLength(count + 1);
});

test("of two events that state a trace of one time, the later counts, in whatever order they come", async () => {
  const stated = (name: string, timestamp: string, more: object = {}) => {
    const body = { id: "t", timestamp: "2026-01-05T00:00:00.000Z", name, ...more };
    return { id: name, type: "trace-create", timestamp, body };
  };
  const events: Capture = { pieces: [], route: "/ingestion", bodyOf: (pieces) => ({ batch: pieces }) };
  const shown = async (pieces: object[]) => JSON.stringify(await rowsAfter(events, [pieces]));
  const byEvent = [stated("first", "2026-01-05T00:00:01.000Z"), stated("last", "2026-01-05T00:00:02.000Z")];
  const byChange = [
    stated("last", "2026-01-05T00:00:00.000Z", { updatedAt: "2026-01-07T00:00:00.000Z" }),
    stated("first", "2026-01-05T00:00:00.000Z", { updatedAt: "2026-01-06T00:00:00.000Z" }),
  ];
  for (const pieces of [byEvent, byEvent.toReversed(), byChange, byChange.toReversed()]) {
    const rows = await shown(pieces);
    expect(rows).toContain("last");
    expect(rows).not.toContain("first");
  }
});

test("numbers of events keep their spelling, as those of spans do", async () => {
  const client = await openProject();
  const headers = { authorization: basic(client.apiKey), "content-type": "application/json" };
  const numbers = '{"one": 1.0, "thousand": 1e3, "id": 12345678901234567890}';
  const event = (id: string, type: string, body: string): string =>
    `{"id":"${id}","type":"${type}","timestamp":"2026-01-05T00:00:00.000Z","body":${body}}`;
  const batch = [
    event(
      "e1",
      "trace-create",
      `{"id":"t","name":"digits","input":${numbers},"metadata":{"seed":1e3,"all":${numbers}}}`,
    ),
    event("e2", "generation-create", `{"id":"g","traceId":"t","output":[0.10],"modelParameters":{"temperature":1.0}}`),
  ];
  const sent = await fetch(`${system.url}/api/public/ingestion`, {
    ...{ method: "POST", headers },
    body: `{"batch":[${batch.join()}]}`,
  });
  expect(await sent.json()).toMatchObject({ successes: [{ id: "e1" }, { id: "e2" }], errors: [] });

  const readText = async (route: string): Promise<string> => {
    const answer = await fetch(`${system.url}/api/v1${route}`, { headers: { "x-api-key": client.apiKey } });
    return answer.text();
  };
  const { traces } = JSON.parse(await readText("/ingest/traces")) as { traces: { _id: string }[] };
  // Metadata that are not text are JSON as text.
  const root = (await readText(`/ingest/traces/${traces[0]?._id}`)).replaceAll("\\", "");
  for (const part of [numbers.replaceAll(" ", ""), '"seed":"1e3"']) expect(root).toContain(part);
  const { spans } = JSON.parse(await readText(`/ingest/traces/${traces[0]?._id}/outline`)) as {
    spans: { _id: string }[];
  };
  const generation = await readText(`/ingest/traces/${spans.at(-1)?._id}`);
  expect(generation).toContain("[0.10]");
  expect(generation.replaceAll("\\", "")).toContain('"temperature":1.0');
});

test("numbers in the metadata of a score keep their spelling, whichever way it comes", async () => {
  const client = await openProject();
  const numbers = '{"one": 1.0, "big": 1e5, "id": 12345678901234567890, "deep": [[0.10, -0]]}';
  const kept = numbers.replaceAll(" ", "").slice(0, -1);
  const score = (id: string): string => `{"id":"${id}","name":"n","value":1,"traceId":"t","metadata":${numbers}}`;
  const event = `{"id":"e","type":"score-create","timestamp":"2026-01-05T00:00:00.000Z","body":${score("event")}}`;
  const post = (route: string, body: string) =>
    fetch(`${system.url}${route}`, {
      ...{ method: "POST", body },
      headers: { authorization: basic(client.apiKey), "content-type": "application/json" },
    });
  const answers = [
    await post("/api/public/scores", score("alone")),
    await post("/api/public/scores", `[${score("listed")}]`),
    await post("/api/public/ingestion", `{"batch":[${event}]}`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 202, 207]);

  const headers = { "x-api-key": client.apiKey, "content-type": "application/json" };
  const read = async (route: string): Promise<string> =>
    (await fetch(`${system.url}/api/v1${route}`, { headers })).text();
  for (const id of ["alone", "listed", "event"]) expect(await read(`/scores/${id}`)).toContain(kept);
  expect((await read("/scores")).split(kept)).toHaveLength(4);
  const body = (await read("/scores/alone")).slice('{"score":'.length, -1);
  const again = await fetch(`${system.url}/api/v1/scores`, { method: "POST", headers, body });
  expect(await again.text()).toContain(kept);
});
