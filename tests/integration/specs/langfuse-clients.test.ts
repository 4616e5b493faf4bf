import { LangfuseClient } from "@langfuse/client";
import { LangfuseSpanProcessor } from "@langfuse/otel";
import { setLangfuseTracerProvider, startObservation } from "@langfuse/tracing";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { langfuseErrorBody, langfuseHealth, traceList } from "@touchstone/contracts";
import { Langfuse } from "langfuse";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiClient, createClient } from "../src/client.ts";
import { type System, startSystem } from "../src/start-system.ts";

/** The unmodified clients, configured as their manuals say: an address and two keys. */
interface Clients {
  v3: Langfuse;
  v5: LangfuseClient;
}

let system: System;
let client: ApiClient;
let langfuse: Clients;

beforeAll(async () => {
  system = await startSystem();
  client = createClient(system);
  langfuse = clientsOf(system.apiKey);
});

afterAll(async () => {
  await langfuse?.v3.shutdownAsync();
  await system?.stop();
});

function clientsOf(secretKey: string): Clients {
  const settings = { publicKey: "pk-lf-any", secretKey, baseUrl: system.url };
  return { v3: new Langfuse(settings), v5: new LangfuseClient(settings) };
}

/** A request as no client of Langfuse sends it. */
async function ask(path: string, headers: Record<string, string> = {}, method = "GET") {
  const answer = await fetch(`${system.url}/api/public${path}`, { method, headers });
  return { status: answer.status, body: (await answer.json()) as unknown };
}

const basic = (key: string): string => `Basic ${Buffer.from(`anyone:${key}`).toString("base64")}`;

describe("access", () => {
  test.each([
    ["Basic", () => ({ authorization: basic(system.apiKey) })],
    ["Bearer", () => ({ authorization: `Bearer ${system.apiKey}` })],
    ["x-api-key", () => ({ "x-api-key": system.apiKey })],
  ])("a project's key opens the paths as %s", async (_way, headers) => {
    const { projects } = (await client.send("GET", "/projects")).body as { projects: { _id: string; name: string }[] };

    const { status, body } = await ask("/projects", headers());

    expect(status).toBe(200);
    expect(body).toMatchObject({ data: [{ id: projects[0]?._id, name: projects[0]?.name }] });
  });

  test("no key and a wrong key are 401, an unknown path is 404 and a wrong method 405, in Langfuse's envelope", async () => {
    const wrong = basic(`${system.apiKey.slice(0, -1)}!`);
    const refusals = [
      [await ask("/projects"), 401, "UnauthorizedError"],
      [await ask("/projects", { authorization: wrong }), 401, "UnauthorizedError"],
      [await ask("/no-such-path", { authorization: basic(system.apiKey) }), 404, "RouteNotFoundError"],
      [await ask("/projects", { authorization: basic(system.apiKey) }, "DELETE"), 405, "MethodNotAllowedError"],
    ] as const;
    for (const [{ status, body }, expected, error] of refusals) {
      expect(status).toBe(expected);
      expect(langfuseErrorBody.parse(body)).toMatchObject({ error });
    }
  });

  test("the health of the API is read without a key", async () => {
    const { status, body } = await ask("/health");

    expect(status).toBe(200);
    expect(langfuseHealth.parse(body).status).toBe("OK");
  });

  test("a client reads its project, and with a wrong key its calls fail", async () => {
    const { data } = await langfuse.v5.api.projects.get();
    expect(data).toHaveLength(1);

    await expect(clientsOf("sk-lf-wrong").v5.api.projects.get()).rejects.toMatchObject({ statusCode: 401 });
  });
});

test("spans of the tracing client are stored with their usage, cached tokens included", async () => {
  const processor = new LangfuseSpanProcessor({
    publicKey: "pk-lf-any",
    secretKey: system.apiKey,
    baseUrl: system.url,
  });
  const provider = new BasicTracerProvider({ spanProcessors: [processor] });
  setLangfuseTracerProvider(provider);
  const agent = startObservation("weather-agent", { input: { q: "Weather in Paris?" } }, { asType: "agent" });
  const generation = agent.startObservation(
    "llm-call",
    {
      model: "gpt-4o-mini",
      input: [{ role: "user", content: "Weather in Paris?" }],
      output: { role: "assistant", content: "Sunny" },
      usageDetails: { input: 12, output: 5, cache_read_input_tokens: 4 },
    },
    { asType: "generation" },
  );
  generation.end();
  agent.update({ output: "Sunny" }).end();

  await processor.forceFlush();

  const { traces } = await client.expect({ status: 200, schema: traceList }, "GET", "/ingest/traces?limit=1");
  expect(traces[0]).toMatchObject({ name: "weather-agent", inputTokens: 16, outputTokens: 5 });
  await provider.shutdown();
});
