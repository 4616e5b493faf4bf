import { describe, expect, test } from "vitest";
import { type PlainValue, rowOf, type SpanSketch } from "./build-export.ts";

const llm = { "gen_ai.operation.name": "chat" };
const tool = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get_weather" };

describe("errors", () => {
  const exception = (attributes: Record<string, PlainValue>) => [{ name: "exception", attributes }];
  const status = (code: number, message?: string) => ({ status: { code, message } });

  test.each<[string, SpanSketch, string | null]>([
    ["a status of error with its message", { more: status(2, "boom") }, "boom"],
    [
      "without a message: Langfuse's",
      { more: status(2), attributes: { "langfuse.observation.status_message": "lf" } },
      "lf",
    ],
    [
      "then the newest exception",
      {
        more: status(2),
        events: [...exception({ "exception.message": "old" }), ...exception({ "exception.message": "new" })],
      },
      "new",
    ],
    ["then the error's type", { more: status(2), attributes: { "error.type": "Timeout" } }, "Timeout"],
    ["then a word", { more: status(2) }, "error"],
    [
      "Langfuse's level, with the status unset",
      { attributes: { "langfuse.observation.level": "ERROR", "langfuse.observation.status_message": "lf" } },
      "lf",
    ],
    [
      "a lower level is none",
      { attributes: { "langfuse.observation.level": "WARNING", "langfuse.observation.status_message": "lf" } },
      null,
    ],
    ["a tool that says so", { attributes: { ...tool, "gen_ai.tool.status": "error" } }, "error"],
    [
      "Claude Code without success",
      { scope: "com.anthropic.claude_code.tracing", attributes: { success: false, error: "429" } },
      "429",
    ],
    ["success of anybody else", { attributes: { success: false } }, null],
    ["Genkit's state", { attributes: { "genkit:state": "error" } }, "error"],
    ["LiveKit's tool that failed", { attributes: { "lk.function_tool.is_error": true } }, "error"],
    ["LiveKit's tool that did not", { attributes: { "lk.function_tool.is_error": false } }, null],
    ["error.type with the status unset", { attributes: { "error.type": "Timeout" } }, "Timeout"],
    ["error.type under a status of ok", { more: status(1), attributes: { "error.type": "Timeout" } }, null],
    ["an exception it recovered from", { events: exception({ "exception.message": "caught" }) }, null],
    [
      "an exception under a status of ok",
      { more: status(1), events: exception({ "exception.message": "x", "exception.escaped": true }) },
      null,
    ],
    [
      "an exception that escaped",
      { events: exception({ "exception.message": "out", "exception.escaped": true }) },
      "out",
    ],
    [
      "LangGraph's interrupt",
      { more: status(2, "interrupted"), events: exception({ "exception.type": "langgraph.errors.GraphInterrupt" }) },
      null,
    ],
    ["the same as LangSmith tells it", { more: status(2, "GraphInterrupt((Interrupt(value='Approve?'),))") }, null],
    ["LangGraph's handover", { more: status(2), events: exception({ "exception.type": "ParentCommand" }) }, null],
    [
      "an interrupt of anything else",
      { more: status(2, "GraphInterrupted by the operator") },
      "GraphInterrupted by the operator",
    ],
    ["NUL in a message", { more: status(2, "a\u0000b") }, "a\ufffdb"],
  ])("%s", async (_what, sketch, error) => {
    expect((await rowOf(sketch)).error).toBe(error);
  });

  test("a stack trace never gets into the error; it is kept beside", async () => {
    const javascript =
      "400 bad model\n\nError: 400 bad model\n    at generate (file:///x.mjs:1:2)\n    at run (y.js:3:4)";
    const python = 'Traceback (most recent call last):\n  File "x.py", line 1\nValueError: bad';
    const first = await rowOf({ more: status(2, javascript) });
    const second = await rowOf({ more: status(2, python) });
    expect([first.error, second.error]).toEqual(["400 bad model", "ValueError: bad"]);
    expect(first.otel.exception).toEqual({ stacktrace: javascript });
    const third = await rowOf({
      events: exception({ "exception.type": "E", "exception.message": "m", "exception.stacktrace": "s" }),
    });
    expect(third.otel.exception).toEqual({ type: "E", message: "m", stacktrace: "s" });
  });

  test("a message of millions of lines is read in no time", async () => {
    const nasty = [`${"\n".repeat(500_000)}x`, `${"Error.".repeat(100_000)}\n    at x`, `${" ".repeat(500_000)}at`];
    for (const message of nasty) expect((await rowOf({ more: status(2, message) })).error).not.toBeNull();
  });
});

describe("a tool's own call", () => {
  test("carries name, input, output, success and latency", async () => {
    const row = await rowOf({
      attributes: {
        ...tool,
        "gen_ai.tool.call.id": "c",
        "gen_ai.tool.call.arguments": '{"a":1}',
        "gen_ai.tool.call.result": "r",
      },
    });
    expect(row.toolCalls).toEqual([
      { name: "get_weather", input: { a: 1 }, output: "r", success: true, latencyMs: 1.5 },
    ]);
    expect(row.otel.toolCallId).toBe("c");
  });

  test("carries LiveKit's id of the call", async () => {
    const attributes = { ...tool, "lk.function_tool.id": "c" };
    expect((await rowOf({ attributes })).otel.toolCallId).toBe("c");
  });

  test("that failed carries the error", async () => {
    const row = await rowOf({ attributes: tool, more: { status: { code: 2, message: "down" } } });
    expect(row.toolCalls).toEqual([{ name: "get_weather", success: false, latencyMs: 1.5, error: "down" }]);
  });

  test.each<[SpanSketch, string]>([
    [{ name: "execute_tool search", attributes: { "gen_ai.operation.name": "execute_tool" } }, "search"],
    [{ name: "tools/call search", attributes: { "mcp.method.name": "tools/call" } }, "search"],
    [{ name: "search.tool", attributes: { "openinference.span.kind": "TOOL" } }, "search"],
    [{ name: ".tool", attributes: { "openinference.span.kind": "TOOL" } }, ".tool"],
    [{ name: "x", attributes: { "traceloop.span.kind": "tool", "traceloop.entity.name": "search" } }, "search"],
    [{ name: "tool_call search", attributes: { "spring.ai.kind": "tool_call" } }, "search"],
    [
      { name: "x", attributes: { "spring.ai.kind": "tool_call", "spring.ai.tool.definition.name": "search" } },
      "search",
    ],
    [{ name: "function_tool", scope: "livekit-agents", attributes: { "lk.function_tool.name": "search" } }, "search"],
  ])("is named by the tool: %o -> %s", async (sketch, name) => {
    expect((await rowOf(sketch)).toolCalls).toMatchObject([{ name }]);
  });

  test("is no business of other kinds", async () => {
    expect((await rowOf({ attributes: { ...llm, "gen_ai.tool.name": "x" } })).toolCalls).toBeNull();
  });
});
