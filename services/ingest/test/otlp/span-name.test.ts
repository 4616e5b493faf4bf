import { describe, expect, test } from "vitest";
import { rowOf, type SpanSketch } from "./build-export.ts";

const llm = { "gen_ai.operation.name": "chat" };
const agent = { "gen_ai.operation.name": "invoke_agent" };

describe("name and agent", () => {
  test.each<[string, SpanSketch, string, string | null]>([
    [
      "a root goes by its agent",
      { root: true, name: "invoke_agent x", attributes: { ...agent, "gen_ai.agent.name": "weather" } },
      "weather",
      "weather",
    ],
    [
      "a vendor's name for it comes first",
      { root: true, attributes: { "gen_ai.agent.name": "a", "langfuse.trace.name": "b" } },
      "b",
      "b",
    ],
    [
      "an agent that only the span's name knows",
      { root: true, name: "invoke_agent weather", attributes: agent },
      "weather",
      null,
    ],
    ["a root without an agent keeps its name", { root: true, name: "GET /chat" }, "GET /chat", null],
    [
      "a bare call is filed under what it called",
      { root: true, name: "chat gpt-4o", attributes: llm },
      "chat gpt-4o",
      "gpt-4o",
    ],
    [
      "a child keeps its name",
      { name: "invoke_agent weather", attributes: { ...agent, "gen_ai.agent.name": "weather" } },
      "invoke_agent weather",
      "weather",
    ],
    [
      "the AI SDK's tool is named by the tool",
      { name: "ai.toolCall", attributes: { "ai.operationId": "ai.toolCall", "ai.toolCall.name": "t" } },
      "t",
      null,
    ],
    [
      "Logfire's template is filled",
      { name: "greet {who}", attributes: { "logfire.msg": "greet Ann" } },
      "greet Ann",
      null,
    ],
    ["its message alone does not rename", { name: "greet", attributes: { "logfire.msg": "greet Ann" } }, "greet", null],
    [
      "a parent in another process makes a root of its own",
      { name: "x", attributes: { "gen_ai.agent.name": "weather" }, more: { flags: 769 } },
      "weather",
      "weather",
    ],
    ["no name: the operation", { name: " ", attributes: llm }, "chat", null],
    ["no name: the scope", { name: "", scope: "lib" }, "lib", null],
    ["no name at all", { name: "", scope: "" }, "unnamed span", null],
  ])("%s", async (_what, sketch, name, agentName) => {
    expect(await rowOf(sketch)).toMatchObject({ name, agentName });
  });

  test("an agent's declared name is distinguished from a guessed one", async () => {
    const stated = await rowOf({ root: true, attributes: { "gen_ai.agent.name": "weather" } });
    const guessed = await rowOf({ root: true, name: "chat gpt-4o", attributes: llm });
    expect([stated.otel.agentName, guessed.otel.agentName]).toEqual(["weather", undefined]);
  });

  test("a name of any length is cut to the maximum", async () => {
    expect((await rowOf({ name: "n".repeat(5000) })).name).toHaveLength(2000);
  });
});
