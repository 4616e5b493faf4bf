import { isAppError, scanMembers } from "@touchstone/service-kit";
import { describe, expect, test } from "vitest";
import { readSubmittedTrace } from "../src/traces/submitted-trace.ts";

function read(body: unknown) {
  const { type, members } = scanMembers(typeof body === "string" ? body : JSON.stringify(body));
  return readSubmittedTrace(type, members);
}

function problemsOf(body: unknown): unknown {
  try {
    read(body);
  } catch (thrown) {
    if (isAppError(thrown) && thrown.code === "trace_invalid") return thrown.details;
    throw thrown;
  }
  return null;
}

function fieldErrors(body: Record<string, unknown>): unknown {
  const problems = problemsOf({ name: "x", ...body }) as { fieldErrors: unknown } | null;
  return problems?.fieldErrors ?? null;
}

describe("a body that does not hold", () => {
  test("gets all its problems at once, by snake_case name", { tags: ["spec:envelope.validation"] }, () => {
    expect(problemsOf({ latencyMs: "fast", toolCalls: [1], session_id: 7, metadata: [] })).toEqual({
      formErrors: [],
      fieldErrors: {
        name: ["Required"],
        latency_ms: ["Expected number, received string"],
        tool_calls: ["Expected object, received number"],
        session_id: ["Expected string, received number"],
        metadata: ["Expected object, received array"],
      },
    });
  });

  test.each([
    ["[]", "array"],
    ["null", "null"],
    ['"x"', "string"],
    ["1", "number"],
    ["true", "boolean"],
  ])("%s is no object", (body, type) => {
    expect(problemsOf(body)).toEqual({ fieldErrors: {}, formErrors: [`Expected object, received ${type}`] });
  });

  test.each([
    [{ name: undefined }, { name: ["Required"] }],
    [{ name: "" }, { name: ["String must contain at least 1 character(s)"] }],
    [{ name: 1 }, { name: ["Expected string, received number"] }],
    [{ name: null }, { name: ["Expected string, received null"] }],
    [{ name: "x".repeat(2_001) }, { name: ["String must contain at most 2000 character(s)"] }],
    [{ span_id: "x".repeat(513) }, { span_id: ["String must contain at most 512 character(s)"] }],
    [{ monitor: "yes" }, { monitor: ["Expected boolean, received string"] }],
    [{ pattern_ids: ["a", 1] }, { pattern_ids: ["Expected string, received number"] }],
    [{ pattern_ids: "a" }, { pattern_ids: ["Expected array, received string"] }],
    [{ timestamp: "yesterday" }, { timestamp: ["Invalid datetime"] }],
    [{ timestamp: "1969-12-31T23:59:59Z" }, { timestamp: ["Datetime must be between 1970 and 9999"] }],
    [{ timestamp: "+012345-01-01T00:00:00Z" }, { timestamp: ["Datetime must be between 1970 and 9999"] }],
    [{ tool_calls: {} }, { tool_calls: ["Expected array, received object"] }],
    [{ tool_calls: [{}, null] }, { tool_calls: ["Expected object, received null"] }],
  ])("%j", (body, expected) => {
    expect(fieldErrors(body)).toEqual(expected);
  });

  test.each(["name", "session_id", "spanId", "model", "framework"])(
    "cannot hold NUL or a lone surrogate in %s",
    (field) => {
      const problem = ["String must not contain NUL or an unpaired surrogate"];
      const snake = field === "spanId" ? "span_id" : field;
      expect(fieldErrors({ [field]: "a\0" })).toEqual({ [snake]: problem });
      expect(problemsOf(`{"name":"x","${field}":"\\ud800"}`)).toMatchObject({ fieldErrors: { [snake]: problem } });
    },
  );

  test("cannot hold a number that is not finite where a number is typed", () => {
    expect(problemsOf('{"name":"x","latency_ms":1e400,"input_tokens":-1e999}')).toMatchObject({
      fieldErrors: { latency_ms: ["Number must be finite"], input_tokens: ["Number must be finite"] },
    });
  });

  test("cannot nest deeper than 128 levels", () => {
    const nested = (depth: number): string => `{"name":"x","input":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    expect(problemsOf(nested(128))).toBeNull();
    expect(problemsOf(nested(129))).toMatchObject({
      fieldErrors: { input: ["Nesting must not be deeper than 128 levels"] },
    });
    const calls = (depth: number): string =>
      `{"name":"x","tool_calls":[{"input":${"[".repeat(depth)}${"]".repeat(depth)}}]}`;
    expect(problemsOf(calls(128))).toBeNull();
    expect(problemsOf(calls(129))).not.toBeNull();
  });
});

describe("a body that holds", () => {
  test("may use either spelling, and the snake_case one wins", () => {
    expect(read({ name: "x", sessionId: "camel", spanId: "s", parentSpanId: "p", inputTokens: 3 }).span).toMatchObject({
      sessionId: "camel",
      spanId: "s",
      parentSpanId: "p",
      inputTokens: 3,
    });
    expect(read({ name: "x", sessionId: "camel", session_id: "snake" }).span.sessionId).toBe("snake");
  });

  test("keeps the text of its any-JSON members", () => {
    const { span } = read('{"name":"x","input": [1.0, {"__proto__":-0}] ,"output":1e400,"metadata":{ "a":"\\u0000"}}');
    expect(span).toMatchObject({ input: '[1.0, {"__proto__":-0}]', output: "1e400", metadata: '{ "a":"\\u0000"}' });
  });

  test("keeps null where any JSON may be, which is not absent", () => {
    expect(read({ name: "x", input: null }).span).toMatchObject({ input: "null", output: null });
  });

  test("counts tokens only above zero", () => {
    expect(read({ name: "x", input_tokens: 0, output_tokens: -1, cache_read_tokens: 2 }).span).toMatchObject({
      inputTokens: null,
      outputTokens: null,
      cacheReadTokens: 2,
    });
  });

  test.each([
    [" LangChain ", "langchain"],
    ["   ", null],
    ["X".repeat(100), "x".repeat(64)],
  ])("has the framework %j stored as %j", (framework, stored) => {
    expect(read({ name: "x", framework }).span.framework).toBe(stored);
  });

  test("treats an empty identity as none", () => {
    expect(read({ name: "x", span_id: "", session_id: "", parent_span_id: "", model: "", agent_id: "" })).toMatchObject(
      {
        agent: null,
        span: { spanId: null, sessionId: null, parentSpanId: null, model: null },
      },
    );
  });

  test("is a root when it names itself as its parent", () => {
    expect(read({ name: "x", span_id: "a", parent_span_id: "a" }).span.parentSpanId).toBeNull();
  });

  test.each([
    [{ span_kind: " Retriever " }, "retrieval"],
    [{ span_kind: "nonsense", metadata: { kind: "tool" } }, "tool"],
    [{ metadata: { kind: "memory_read" } }, "memory"],
    [{ metadata: { kind: 1 }, model: "m" }, "llm"],
    [{ tool_calls: [{ name: "t" }] }, "tool"],
    [{ tool_calls: [] }, "chain"],
    [{}, "chain"],
  ])("%j is a %s", (body, kind) => {
    expect(read({ name: "x", ...body }).span.kind).toBe(kind);
  });

  test("has its start in nanoseconds read without losing digits, and never fails for it", () => {
    const startOf = (text: string) => read(`{"name":"x","started_at_unix_nano":${text}}`).span.startedAtMs;
    expect(startOf('"1763690000123456789"')).toBeCloseTo(1_763_690_000_123.4568, 3);
    expect(startOf("1763690000123456789")).toBeCloseTo(1_763_690_000_123.4568, 3);
    for (const unreadable of ['"soon"', '"-1"', "{}", '"999999999999999999999"', "1.5", "null"]) {
      expect(startOf(unreadable)).toBeNull();
    }
    expect(read({ name: "x", started_at: "2026-01-01T00:00:00Z" }).span.startedAtMs).toBe(Date.UTC(2026, 0, 1));
    for (const unreadable of ["soon", 1_767_225_600, null, {}]) {
      expect(read({ name: "x", started_at: unreadable }).span.startedAtMs).toBeNull();
    }
  });

  test("marks evaluation traffic, and nothing else, by its source", () => {
    expect(read({ name: "x", source: "eval-run" }).span.trafficSource).toBe("eval-run");
    expect(read({ name: "x", source: "production" }).span.trafficSource).toBeNull();
  });
});

describe("tool calls", () => {
  function callsOf(text: string): string | null {
    return read(`{"name":"x","tool_calls":${text}}`).span.toolCalls;
  }

  test("keep their texts and unknown members, take camelCase names and gain a success flag", () => {
    expect(callsOf('[{"name":"t","input":{"n":1e400},"output":"\\u0000","latency_ms":1.50,"extra":[1.0]}]')).toBe(
      '[{"name":"t","input":{"n":1e400},"output":"\\u0000","extra":[1.0],"latencyMs":1.50,"success":true}]',
    );
    expect(callsOf('[{"error":"boom"},{"success":false},{"latencyMs":1,"latency_ms":2}]')).toBe(
      '[{"error":"boom","success":false},{"success":false},{"latencyMs":2,"success":true}]',
    );
  });

  test("beyond the fiftieth are dropped silently", { tags: ["spec:limit.tool-calls"] }, () => {
    const calls = JSON.parse(callsOf(JSON.stringify(Array.from({ length: 51 }, (_, n) => ({ name: `t${n}` })))) ?? "");
    expect(calls).toHaveLength(50);
    expect(calls.at(-1).name).toBe("t49");
  });
});
