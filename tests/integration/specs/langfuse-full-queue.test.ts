import { LangfuseSpanProcessor } from "@langfuse/otel";
import { setLangfuseTracerProvider, startObservation } from "@langfuse/tracing";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { scoreList, traceList } from "@touchstone/contracts";
import { expect, test } from "vitest";
import { answersTo, fillQueue } from "../src/full-queue.ts";
import { langfuseClients, readOnlyTrace } from "../src/langfuse-clients.ts";
import { useCombined } from "../src/use-combined.ts";
import { waitUntil } from "../src/wait-until.ts";

/** What an unmodified client flushes while ingest takes nothing: it is refused, waits and sends again. */
const agentsOf = { v3: ["blue", "green", "red", "white"], v5: ["east", "north", "south", "west"] } as const;

const { system, client } = useCombined({ SERVICE_INGEST_QUEUE_MAX: "5", SERVICE_LOG_LEVEL: "info" });

const wasRefused = (operation: string) => async () => answersTo(system, operation).includes(429);

/** The names of all traces, each as often as it is stored, without those that filled the queue. */
async function storedNames(): Promise<string[]> {
  const { traces } = await client.expect({ status: 200, schema: traceList }, "GET", "/ingest/traces?limit=100");
  return traces.map(({ name }) => name).filter((name) => name !== "filler");
}

test("version 5 sends its spans again until they are taken, and each is stored once", async () => {
  const keys = { publicKey: "pk-lf-any", secretKey: system.apiKey, baseUrl: system.url };
  // The client gives up after five seconds by default, which is no claim of this test.
  const processor = new LangfuseSpanProcessor({ ...keys, timeout: 90, flushAt: 2 });
  const provider = new BasicTracerProvider({ spanProcessors: [processor] });
  setLangfuseTracerProvider(provider);
  await using queue = await fillQueue(system, client);
  for (const agent of agentsOf.v5) {
    const run = startObservation(agent, { input: "Weather?" }, { asType: "agent" });
    run.startObservation("llm", { model: "gpt-4o-mini", output: "Sunny" }, { asType: "generation" }).end();
    run.update({ output: "Sunny" }).end();
  }

  // A flush does not wait for an export that is under way, a shutdown does.
  const flushing = provider.shutdown();
  await waitUntil("an export was refused", wasRefused("receiveTraces"));
  await queue.release();
  await flushing;

  expect((await storedNames()).toSorted()).toEqual(agentsOf.v5);
  for (const agent of agentsOf.v5) {
    const { spans } = await readOnlyTrace(client, agent);
    expect(spans.map(({ name }) => name).toSorted()).toEqual([agent, "llm"].toSorted());
  }
});

test("version 3 sends its events again until they are taken, and each is stored once", async () => {
  const before = await storedNames();
  await using queue = await fillQueue(system, client);
  const { v3 } = langfuseClients(system.url, system.apiKey);
  for (const agent of agentsOf.v3) {
    const trace = v3.trace({ name: agent, input: "Weather?" });
    trace.generation({ name: "llm", model: "gpt-4o-mini" }).end({ output: "Sunny" });
    trace.update({ output: "Sunny" });
    trace.score({ name: "helpful", value: 1 });
  }

  // A flush does not wait for batches that were sent before it, a shutdown does.
  const flushing = v3.shutdownAsync();
  await waitUntil("a batch was refused", wasRefused("ingestLangfuseBatch"));
  await queue.release();
  await flushing;

  expect((await storedNames()).filter((name) => !before.includes(name)).toSorted()).toEqual(agentsOf.v3);
  for (const agent of agentsOf.v3) {
    const { detail, spans } = await readOnlyTrace(client, agent);
    expect(detail).toMatchObject({ output: "Sunny", scores: [{ name: "helpful" }] });
    expect(spans).toHaveLength(2);
  }
  const { scores } = await client.expect({ status: 200, schema: scoreList }, "GET", "/scores?limit=100");
  expect(scores).toHaveLength(agentsOf.v3.length);
});
