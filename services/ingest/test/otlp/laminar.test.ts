import { describe, expect, test } from "vitest";
import { rowOf } from "./build-export.ts";

const scope = "lmnr.tracer";

describe("spans of Laminar", () => {
  test("keep what went in and came out, the session and the user", async () => {
    const row = await rowOf({
      root: true,
      scope,
      name: "answer",
      attributes: {
        "lmnr.span.input": '{"question":"May I return it?"}',
        "lmnr.span.output": '"Within 30 days."',
        "lmnr.span.type": "DEFAULT",
        "lmnr.association.properties.session_id": "s-1",
        "lmnr.association.properties.user_id": "u-1",
        "lmnr.association.properties.tags": ["beta"],
        "lmnr.association.properties.metadata.plan": "gold",
        "lmnr.association.properties.trace_type": "DEFAULT",
      },
    });
    expect(row).toMatchObject({
      kind: "chain",
      framework: "laminar",
      input: { question: "May I return it?" },
      output: "Within 30 days.",
      sessionId: "s-1",
      trafficSource: null,
      metadata: { userId: "u-1", tags: ["beta"], plan: "gold" },
    });
    expect(row.metadata).not.toHaveProperty("trace_type");
  });

  test.each([
    ["LLM", "llm"],
    ["TOOL", "tool"],
    ["EVALUATOR", "evaluator"],
    ["EXECUTOR", "chain"],
    ["EVALUATION", "chain"],
  ])("of the type %s are %s", async (type, kind) => {
    expect(await rowOf({ scope, attributes: { "lmnr.span.type": type } })).toMatchObject({ kind });
  });

  test("of the type DEFAULT are what their other attributes say", async () => {
    const attributes = { "lmnr.span.type": "DEFAULT", "gen_ai.request.model": "gpt-5.6-sol" };
    expect(await rowOf({ scope, attributes })).toMatchObject({ kind: "llm" });
  });

  test("that are a tool's call are one, with its arguments and its result", async () => {
    const row = await rowOf({
      scope,
      name: "lookup_order",
      attributes: { "lmnr.span.type": "TOOL", "lmnr.span.input": '{"id":7}', "lmnr.span.output": '{"total":12}' },
    });
    expect(row.toolCalls).toMatchObject([{ name: "lookup_order", input: { id: 7 }, output: { total: 12 } }]);
  });

  test("of an evaluation are no production traffic", async () => {
    const attributes = { "lmnr.association.properties.trace_type": "EVALUATION" };
    expect(await rowOf({ root: true, scope, attributes })).toMatchObject({ trafficSource: "eval-run" });
  });

  test("leave messages to the conventions that say more", async () => {
    const row = await rowOf({
      scope,
      attributes: {
        "lmnr.span.type": "LLM",
        "lmnr.span.input": '{"model":"gpt-5.6-sol","messages":[]}',
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "Hello?",
      },
    });
    expect(row.input).toEqual([{ role: "user", content: "Hello?" }]);
  });
});

describe("traces of a Langfuse experiment", () => {
  test.each(["langfuse.experiment.id", "langfuse.experiment.name", "langfuse.experiment.item.id"])(
    "are no production traffic according to %s",
    async (attribute) => {
      const row = await rowOf({ root: true, scope: "langfuse-sdk", attributes: { [attribute]: "x" } });
      expect(row).toMatchObject({ trafficSource: "eval-run" });
      expect(row.otel).toMatchObject({ attributes: { [attribute]: "x" } });
    },
  );

  test("others of Langfuse are", async () => {
    const row = await rowOf({
      root: true,
      scope: "langfuse-sdk",
      attributes: { "langfuse.environment": "production" },
    });
    expect(row).toMatchObject({ trafficSource: null });
  });
});
