import { internalRoutes } from "@touchstone/contracts";
import { uuidv7 } from "@touchstone/service-kit";
import { describe, expect, test } from "vitest";
import { useIngest } from "./running-ingest.ts";

const { ingest } = useIngest();

const newProject = (): string => uuidv7(Date.now());

async function submit(projectId: string, trace: object): Promise<string> {
  const { status, json } = await ingest.submit(projectId, { name: "agent", ...trace });
  expect(status).toBe(201);
  return json.trace_id;
}

async function turnsOf(projectId: string, recorded: { traceId: string } | { sessionId: string }) {
  const options = { requestId: "request", deadlineMs: 10_000 };
  return (await ingest.ask(internalRoutes.readTurns, { projectId, ...recorded }, options)).turns;
}

describe("the turns of a trace", () => {
  test("are the one it is: strings as they are, other JSON as its text", async () => {
    const projectId = newProject();
    const plain = await submit(projectId, { input: "Where is it?", output: 'In "Paris".\n' });
    const structured = await submit(projectId, { input: { q: [1, 2] }, output: 7, error: "late" });

    expect(await turnsOf(projectId, { traceId: plain })).toEqual([
      { query: "Where is it?", actualOutput: 'In "Paris".\n', error: null, traceId: plain },
    ]);
    expect(await turnsOf(projectId, { traceId: structured })).toEqual([
      { query: '{"q":[1,2]}', actualOutput: "7", error: "late", traceId: structured },
    ]);
  });

  test("are none when nothing was asked, or the project has no such trace", async () => {
    const projectId = newProject();
    const silent = await submit(projectId, { output: "Hello!" });
    const blank = await submit(projectId, { input: "  " });
    const foreign = await submit(newProject(), { input: "Where?" });

    for (const traceId of [silent, blank, foreign, uuidv7(Date.now()), "none", ""]) {
      expect(await turnsOf(projectId, { traceId })).toEqual([]);
    }
  });
});

describe("the turns of a session", () => {
  const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

  test("are its roots in the order of their start, those without a question left out", async () => {
    const projectId = newProject();
    const session = { session_id: "s-1" };
    const second = await submit(projectId, { ...session, input: "And then?", output: "b", started_at: at(20) });
    const first = await submit(projectId, { ...session, input: "Who?", error: "boom", started_at: at(10) });
    await submit(projectId, { ...session, output: "unasked", started_at: at(15) });
    await submit(projectId, { ...session, input: "a tool", parent_span_id: "p", started_at: at(12) });
    await submit(projectId, { session_id: "s-2", input: "elsewhere" });
    await submit(newProject(), { ...session, input: "foreign" });

    expect(await turnsOf(projectId, { sessionId: "s-1" })).toEqual([
      { query: "Who?", actualOutput: null, error: "boom", traceId: first },
      { query: "And then?", actualOutput: "b", error: null, traceId: second },
    ]);
    for (const sessionId of ["s-3", "", "s\0"]) expect(await turnsOf(projectId, { sessionId })).toEqual([]);
  });

  test("are those of OpenTelemetry traces too, by their session or by the trace's own id", async () => {
    const projectId = newProject();
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    const span = (spanId: string, more: object) => ({
      traceId,
      spanId,
      name: "invoke_agent",
      startTimeUnixNano: "1767225600000000000",
      endTimeUnixNano: "1767225601000000000",
      ...more,
    });
    const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
    const root = span("00f067aa0ba902b7", {
      attributes: [
        attribute("gen_ai.operation.name", "invoke_agent"),
        attribute("gen_ai.conversation.id", "talk"),
        attribute("input.value", "Where is my order?"),
        attribute("output.value", "On its way."),
      ],
    });
    const child = span("00f067aa0ba902b8", {
      parentSpanId: "00f067aa0ba902b7",
      attributes: [attribute("input.value", "a tool's input")],
    });
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [root, child] }] }] });
    expect((await ingest.call(projectId, "POST", "/api/v1/otel/v1/traces", { body })).status).toBe(200);

    const turns = await turnsOf(projectId, { sessionId: "talk" });

    expect(turns).toMatchObject([{ query: "Where is my order?", actualOutput: "On its way.", error: null }]);
    expect(await turnsOf(projectId, { sessionId: traceId })).toEqual(turns);
    expect(await turnsOf(projectId, { traceId: turns[0]?.traceId ?? "" })).toEqual(turns);
  });

  test("are two hundred at most, the first", async () => {
    const projectId = newProject();
    const ask = (index: number) =>
      submit(projectId, { session_id: "long", input: `question ${index}`, started_at: at(index) });
    await Promise.all(Array.from({ length: 205 }, (_, index) => ask(index)));

    const turns = await turnsOf(projectId, { sessionId: "long" });

    expect(turns.map(({ query }) => query)).toEqual(Array.from({ length: 200 }, (_, index) => `question ${index}`));
  });
});
