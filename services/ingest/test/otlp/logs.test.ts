import { describe, expect, test } from "vitest";
import { OtlpDecodeError } from "../../src/otlp/wire/otlp-decode-error.ts";
import { buildLogs, fragmentOf, spanId, toJson, toProtobuf, traceId } from "./build-logs.ts";
import { decodeLogs, listCaptures, readCapture, readFixture } from "./corpus.ts";

const details = "gen_ai.client.inference.operation.details";
const claude = "com.anthropic.claude_code.events";

describe("a record that speaks for a span", () => {
  test("a prompt event asks, whether its name is the record's or an attribute", async () => {
    const asked = { inputMessages: [{ role: "user", content: "hi" }] };
    const named = await fragmentOf({ event: "gen_ai.user.message", body: { content: "hi" } });
    const attributed = await fragmentOf({
      body: { content: "hi" },
      attributes: { "event.name": "gen_ai.user.message" },
    });
    expect(named).toMatchObject({
      otelTraceId: traceId,
      spanId,
      responseId: null,
      facts: { hasInput: true },
      body: asked,
    });
    expect(attributed).toMatchObject({ facts: { hasInput: true }, body: asked });
  });

  test("the content may be text, a record, JSON in an attribute, or spread over attributes", async () => {
    const sketches = [
      { body: "hi" },
      { body: { content: "hi" } },
      { body: '{"role":"system","content":"hi"}' },
      { attributes: { "gen_ai.event.content": '{"content":"hi"}' } },
      { attributes: { content: "hi" } },
    ];
    for (const sketch of sketches) {
      const { body } = await fragmentOf({ event: "gen_ai.system.message", ...sketch });
      expect(body.inputMessages).toEqual([{ role: "system", content: "hi" }]);
    }
    const text = '{"city":"Paris","role":"capital"}';
    const { body } = await fragmentOf({ event: "gen_ai.user.message", body: text });
    expect(body.inputMessages).toEqual([{ role: "user", content: text }]);
  });

  test("a choice answers, with the calls of tools it asks for", async () => {
    const { facts, body } = await fragmentOf({
      event: "gen_ai.choice",
      body: {
        index: 0,
        finish_reason: "tool_calls",
        message: { tool_calls: [{ id: "c1", function: { name: "get_weather", arguments: '{"city":"Paris"}' } }] },
      },
    });
    expect(facts).toEqual({ hasOutput: true });
    expect(body.outputMessages).toEqual([
      { role: "assistant", content: "", tool_calls: [{ id: "c1", name: "get_weather", arguments: { city: "Paris" } }] },
    ]);
  });

  test("the details of a call are mapped like those of spans, and the rest is kept", async () => {
    const { facts, body } = await fragmentOf({
      event: details,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.response.model": "gpt-5",
        "gen_ai.usage.input_tokens": 120,
        "gen_ai.usage.output_tokens": 24,
        "gen_ai.usage.cache_read.input_tokens": 64,
        "gen_ai.usage.reasoning.output_tokens": 8,
        "gen_ai.conversation.id": "conv-9",
        "gen_ai.request.temperature": 0.5,
        "gen_ai.system_instructions": '[{"type":"text","content":"Be brief."}]',
        "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"hi"}]}]',
        "gen_ai.output.messages": '[{"role":"assistant","parts":[{"type":"text","content":"ho"}]}]',
      },
    });
    expect(facts).toEqual({
      sessionId: "conv-9",
      inputTokens: 120,
      outputTokens: 24,
      cacheReadTokens: 64,
      reasoningTokens: 8,
      model: "gpt-5",
      hasInput: true,
      hasOutput: true,
    });
    expect(body).toMatchObject({
      input: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "hi" },
      ],
      output: "ho",
      attributes: { "gen_ai.request.temperature": 0.5 },
    });
  });

  test("details of an agent keep its whole conversations, since the kind of their span is not known yet", async () => {
    const { body } = await fragmentOf({
      event: details,
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.input.messages":
          '[{"role":"user","content":"one"},{"role":"assistant","content":"1"},{"role":"user","content":"two"}]',
      },
    });
    expect(body.input).toHaveLength(3);
  });

  test("a failed call is described by its error type, and by an exception in words", async () => {
    const failed = await fragmentOf({ event: details, attributes: { "error.type": "RateLimitError" } });
    expect(failed).toMatchObject({ facts: { error: "RateLimitError" }, body: { error: "RateLimitError" } });
    const thrown = await fragmentOf({
      event: "gen_ai.client.operation.exception",
      attributes: { "exception.type": "E", "exception.message": "boom", "exception.stacktrace": "E: boom\n  at x" },
    });
    expect(thrown).toMatchObject({
      facts: { error: "boom" },
      body: { error: "boom", exception: { type: "E", message: "boom", stacktrace: "E: boom\n  at x" } },
    });
    const named = await fragmentOf({
      attributes: { "event.name": "gen_ai.client.operation.exception", "exception.type": "E" },
      body: "boom",
    });
    expect(named).toMatchObject({ facts: { error: "boom" } });
  });

  test("an evaluation is kept as one, below zero too, and is no fact of the span", async () => {
    const { facts, body } = await fragmentOf({
      event: "gen_ai.evaluation.result",
      attributes: {
        "gen_ai.evaluation.name": "Sentiment",
        "gen_ai.evaluation.score.value": -0.5,
        "gen_ai.evaluation.score.label": "negative",
        "gen_ai.evaluation.explanation": "Rude.",
      },
    });
    expect(facts).toEqual({});
    expect(body.evaluation).toEqual({
      name: "Sentiment",
      score: -0.5,
      label: "negative",
      explanation: "Rude.",
      evaluatedAt: "2026-11-21T00:00:00.000Z",
    });
  });

  test("Claude Code tells prompt, answer, cost and results of tools, by name with and without its prefix", async () => {
    const read = async (name: string, attributes: Record<string, string | number>) =>
      (await fragmentOf({ scope: claude, attributes: { "event.name": name, ...attributes } })).body;
    expect(await read("user_prompt", { prompt: "q" })).toMatchObject({
      inputMessages: [{ role: "user", content: "q" }],
    });
    expect(await read("claude_code.assistant_response", { response: "a" })).toMatchObject({
      outputMessages: [{ role: "assistant", content: "a" }],
    });
    expect(await read("api_request", { cost_usd: "0.25", input_tokens: 5 })).toMatchObject({ costUSD: 0.25 });
    const result = await read("tool_result", {
      tool_use_id: "t1",
      tool_name: "Bash",
      success: "false",
      duration_ms: "12",
      error: "exit 1",
      tool_input: '{"command":"ls"}',
    });
    expect(result.toolCall).toEqual({
      id: "t1",
      name: "Bash",
      input: { command: "ls" },
      success: false,
      latencyMs: 12,
      error: "exit 1",
    });
  });

  test("a prompt that Claude Code redacted is not stored as a prompt", async () => {
    const logs = buildLogs({ scope: claude, attributes: { "event.name": "user_prompt", prompt: "<REDACTED>" } });
    expect(await decodeLogs(logs, "json")).toMatchObject({ fragments: [], rejected: 0 });
  });

  test("a body of input and output messages speaks for itself, whatever the event is called", async () => {
    const { facts, body } = await fragmentOf({
      event: "strands.telemetry.tracer",
      body: {
        input: { messages: [{ role: "user", content: { content: '[{"text":"hi"}]' } }] },
        output: { messages: [{ role: "assistant", content: { message: "ho", finish_reason: "end_turn" } }] },
      },
    });
    expect(facts).toEqual({ hasInput: true, hasOutput: true });
    expect(body).toMatchObject({
      input: [{ role: "user", content: "hi" }],
      output: [{ role: "assistant", content: "ho" }],
    });
  });

  test("session, user and agent are read as a span's are", async () => {
    const { facts } = await fragmentOf({
      event: "gen_ai.user.message",
      body: "hi",
      attributes: { "session.id": "s", "gen_ai.agent.name": "weather" },
      resource: { "user.id": "u" },
    });
    expect(facts).toEqual({ sessionId: "s", userId: "u", agentName: "weather", hasInput: true });
  });

  test("records of one instant keep the order of their export", async () => {
    const { fragments } = await decodeLogs(
      buildLogs({ event: "gen_ai.user.message", body: "1" }, { event: "gen_ai.user.message", body: "2" }),
      "json",
    );
    expect(fragments.map(({ body }) => JSON.parse(body).order.index)).toEqual([0, 1]);
  });

  test("a record without a time is placed by when it was observed", async () => {
    const more = { timeUnixNano: "0", observedTimeUnixNano: "1795219200000000007" };
    const { timeNano } = await fragmentOf({ event: "gen_ai.user.message", body: "hi", more });
    expect(timeNano).toBe(1_795_219_200_000_000_007n);
  });
});

describe("which span a record belongs to", () => {
  const speaks = { event: "gen_ai.evaluation.result", attributes: { "gen_ai.evaluation.name": "x" } };

  test("its ids name it; with them the response does not matter", async () => {
    const attributes = { ...speaks.attributes, "gen_ai.response.id": "r1" };
    expect(await fragmentOf({ ...speaks, attributes })).toMatchObject({
      otelTraceId: traceId,
      spanId,
      responseId: null,
    });
  });

  test("without ids, absent or zero, it is found by its response", async () => {
    const attributes = { ...speaks.attributes, "gen_ai.response.id": "r1" };
    for (const [trace, span] of [
      ["", ""],
      ["0".repeat(32), "0".repeat(16)],
    ]) {
      const more = { traceId: trace, spanId: span };
      const found = await fragmentOf({ ...speaks, attributes, more });
      expect(found).toMatchObject({ otelTraceId: null, spanId: null, responseId: "r1" });
    }
  });

  test("a record that names neither is ignored with a warning", async () => {
    const logs = buildLogs({ ...speaks, more: { traceId: "", spanId: "" } });
    expect(await decodeLogs(logs, "json")).toEqual({
      fragments: [],
      recordCount: 1,
      rejected: 0,
      reason: null,
      message: "1 records name neither a span nor a response and were ignored",
    });
  });
});

describe("the answer to the sender of logs", () => {
  const good = { event: "gen_ai.user.message", body: "hi" };

  test("records without GenAI content are ignored with a warning, and nothing is rejected", async () => {
    const logs = buildLogs(good, { body: "GET / 200" }, { event: "http.request" });
    const { fragments, rejected, message } = await decodeLogs(logs, "json");
    expect({ stored: fragments.length, rejected }).toEqual({ stored: 1, rejected: 0 });
    expect(message).toBe("2 records without GenAI content were ignored");
  });

  test("a record with a wrong id, or of the wrong shape, costs only itself", async () => {
    const logs = buildLogs(
      good,
      { ...good, scope: "bad", more: { traceId: "abc" } },
      { ...good, scope: "bad", more: { attributes: {} } },
    );
    const { fragments, rejected, message } = await decodeLogs(logs, "json");
    expect({ stored: fragments.length, rejected }).toEqual({ stored: 1, rejected: 2 });
    expect(message).toBe(
      '2 of 3 log records rejected: 1x traceId must be 32 hex characters (first: event "gen_ai.user.message", scope "bad"); ' +
        '1x attributes must be an array (first: event "gen_ai.user.message", scope "bad")',
    );
  });

  test("a protobuf record whose bytes are wrong costs only itself", async () => {
    const [logs] = [toProtobuf(buildLogs({ ...good, body: "broken" }, good))];
    // The text of the first body claims to be longer than its record.
    const at = logs.indexOf("broken") - 1;
    logs[at] = 0x7f;
    const { fragments, rejected, message } = await decodeLogs(logs, "protobuf");
    expect({ stored: fragments.length, rejected }).toEqual({ stored: 1, rejected: 1 });
    expect(message).toContain("1 of 2 log records rejected: 1x log record could not be decoded");
  });

  test("spans sent to the logs path, and names in snake_case, are pointed out", async () => {
    const { message } = await decodeLogs(readFixture("_synthetic/05-minimal.json"), "json");
    expect(message).toContain("this looks like an OTLP trace payload; send it to …/v1/traces");
    const snake = await decodeLogs(Buffer.from('{"resource_logs":[]}'), "json");
    expect(snake.message).toContain("resourceLogs, not resource_logs");
  });

  test("a body that is no export is refused as a whole", async () => {
    await expect(decodeLogs(Buffer.from("[]"), "json")).rejects.toThrow(OtlpDecodeError);
    await expect(decodeLogs(readFixture("_synthetic/41-garbage.bin"), "protobuf")).rejects.toThrow(OtlpDecodeError);
  });

  test("values too large or too deep are cut with a warning", async () => {
    const large = await decodeLogs(buildLogs({ ...good, body: { content: "x".repeat(5_000_000) } }), "json");
    expect(large.message).toContain("warnings: 1x values over 4 MiB were truncated");
    expect(large.fragments[0]?.body.length).toBeLessThan(4_200_000);
    let deep: Parameters<typeof buildLogs>[0]["body"] = "leaf";
    for (let level = 0; level < 40; level += 1) deep = [deep];
    const cut = await decodeLogs(buildLogs({ ...good, body: { content: deep } }), "json");
    expect(cut.message).toContain("warnings: 1x values nested too deep were truncated");
  });
});

describe("the same log export in JSON and in protobuf gives identical fragments", () => {
  test.each(listCaptures().filter(({ signal }) => signal === "logs"))("$name", async (capture) => {
    const body = await readCapture(capture);
    const fromProtobuf = await decodeLogs(body, "protobuf");
    expect(fromProtobuf.fragments.length).toBeGreaterThan(0);
    expect(await decodeLogs(toJson(body), "json")).toEqual(fromProtobuf);
  });
});
