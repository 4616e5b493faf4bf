import { describe, expect, test } from "vitest";
import { type PlainValue, rowOf } from "./build-export.ts";

describe("metadata", () => {
  test("has the producer's own entries, and ours under names that none of them can take", async () => {
    const row = await rowOf({
      attributes: {
        metadata: '{"plan":"gold","otel":"theirs","userId":"theirs"}',
        "langfuse.trace.metadata.tier": "a",
        "langfuse.observation.metadata.tier": "b",
        "user.id": "ours",
      },
    });
    expect(row.metadata).toEqual({ plan: "gold", tier: "b", userId: "ours" });
    // Parsing would hide a name that is written twice.
    expect(row.metadataText.match(/"(?:otel|userId|tier)":/g)).toHaveLength(3);
    expect(row.otel.traceId).toBe("5b8efff798038103d269b633813fc60c");
  });

  test("has user, environment, tags, prompt, version, release, provider and cost by name", async () => {
    const row = await rowOf({
      scope: "ai",
      attributes: {
        "enduser.id": "u",
        "tag.tags": '["a","b"]',
        "touchstone.prompt_name": "p",
        "gen_ai.prompt.version": 3,
        "touchstone.version": "9",
        "langfuse.release": "r",
        "gen_ai.system": "openai.chat",
        "gen_ai.usage.cost": 0.003,
      },
      resource: { "deployment.environment": "prod", "service.version": "1" },
    });
    expect(row.metadata).toEqual({
      userId: "u",
      environment: "prod",
      tags: ["a", "b"],
      provider: "openai",
      promptName: "p",
      promptVersion: "3",
      version: "9",
      release: "r",
      reportedCostUSD: 0.003,
    });
  });

  test("costs of input and output are summed where no total is reported", async () => {
    const row = await rowOf({ attributes: { "gen_ai.usage.input_cost": 0.5, "gen_ai.usage.output_cost": "0.25" } });
    expect(row.metadata.reportedCostUSD).toBe(0.75);
    const parts = '{"input":0.5,"output":0.25,"cache_read_input_tokens":0.125}';
    const ofLangfuse = await rowOf({ attributes: { "langfuse.observation.cost_details": parts } });
    expect(ofLangfuse.metadata.reportedCostUSD).toBe(0.875);
  });

  test.each([
    ["a,b , ", ["a", "b"]],
    ["", undefined],
    [["x"], ["x"]],
  ])("tags %o are %o", async (given, tags) => {
    expect((await rowOf({ attributes: { "langsmith.span.tags": given } })).metadata.tags).toEqual(tags);
  });

  test("leaves environment variables and copies of the payload among the attributes", async () => {
    const noise = {
      "langsmith.metadata.LANGSMITH_TRACING": "true",
      "mastra.metadata.body": "b",
      "mastra.metadata.headers": "h",
    };
    const row = await rowOf({ attributes: { ...noise, "mastra.metadata.runId": "r" } });
    expect(row.metadata).toEqual({ runId: "r" });
    expect(row.otel.attributes).toEqual(noise);
  });

  test.each<[string, Record<string, PlainValue>]>([
    [
      "GenAI",
      {
        "gen_ai.tool.definitions": '[{"type":"function","name":"t","description":"d","parameters":{"type":"object"}}]',
      },
    ],
    [
      "the AI SDK",
      { "ai.prompt.tools": ['{"type":"function","name":"t","description":"d","inputSchema":{"type":"object"}}'] },
    ],
    [
      "Traceloop",
      {
        "gen_ai.tool.definitions":
          '[{"type":"function","function":{"name":"t","description":"d","parameters":{"type":"object"}}}]',
      },
    ],
    [
      "OpenInference",
      { "llm.tools.0.tool.json_schema": '{"function":{"name":"t","description":"d","parameters":{"type":"object"}}}' },
    ],
    [
      "OpenLLMetry",
      {
        "llm.request.functions.0.name": "t",
        "llm.request.functions.0.description": "d",
        "llm.request.functions.0.parameters": '{"type":"object"}',
      },
    ],
    [
      "Langfuse",
      {
        "langfuse.observation.input":
          '{"messages":[],"tools":[{"function":{"name":"t","description":"d","parameters":{"type":"object"}}}]}',
      },
    ],
  ])("tool definitions of %s come out in one form", async (_producer, attributes) => {
    expect((await rowOf({ attributes })).metadata.toolDefinitions).toEqual([
      { name: "t", description: "d", parameters: { type: "object" } },
    ]);
  });

  test("tools may be bare names", async () => {
    const row = await rowOf({ attributes: { "gen_ai.tool.definitions": '["a","b"]' } });
    expect(row.metadata.toolDefinitions).toEqual([{ name: "a" }, { name: "b" }]);
  });
});

describe("metadata.otel", () => {
  test("keeps all that has no field: ids, scope, resource, kind, state, flags, links, events, dropped counts", async () => {
    const row = await rowOf({
      resource: { "service.name": "svc" },
      attributes: { "x.rest": [1, "two"], "gen_ai.response.id": "resp" },
      events: [{ name: "step", attributes: { n: 1 } }],
      more: {
        kind: 3,
        traceState: "a=b",
        flags: 1,
        droppedAttributesCount: 2,
        links: [
          {
            traceId: "B".repeat(32),
            spanId: "C".repeat(16),
            attributes: [{ key: "why", value: { stringValue: "because" } }],
          },
        ],
      },
    });
    expect(row.otel).toEqual({
      traceId: "5b8efff798038103d269b633813fc60c",
      spanId: "eee19b7ec3c10000",
      parentSpanId: "aaaaaaaaaaaaaaaa",
      scope: { name: "test" },
      resource: { "service.name": "svc" },
      kind: "client",
      traceState: "a=b",
      flags: 1,
      responseId: "resp",
      events: [{ name: "step", time: "2026-11-21T00:00:00.000Z", attributes: { n: 1 } }],
      links: [{ traceId: "b".repeat(32), spanId: "c".repeat(16), attributes: { why: "because" } }],
      droppedCounts: { attributes: 2 },
      attributes: { "x.rest": [1, "two"] },
    });
  });

  test("keeps 64 events and 64 links and counts the others as dropped", async () => {
    const row = await rowOf({
      events: Array.from({ length: 70 }, () => ({ name: "e" })),
      more: { links: Array.from({ length: 65 }, () => ({ traceId: "", spanId: "" })), droppedEventsCount: 1 },
    });
    expect([row.otel.events, row.otel.links].map((list) => (list as unknown[]).length)).toEqual([64, 64]);
    expect(row.otel.droppedCounts).toEqual({ events: 7, links: 1 });
  });

  test("drops embedding vectors of 64 numbers and more, however they are written", async () => {
    const vector = (length: number) => Array.from({ length }, (_, index) => index / 7);
    const row = await rowOf({
      attributes: {
        "embedding.embeddings.0.embedding.vector": vector(64),
        "embedding.embeddings.1.embedding.vector": vector(63),
        "embedding.embeddings.0.embedding.text": "kept",
        "ai.embedding": JSON.stringify(vector(1536)),
        "ai.embeddings": [JSON.stringify(vector(1536))],
        "x.numbers": vector(100),
      },
      events: [
        { name: "db.query.embeddings", attributes: { "db.query.embeddings.vector": JSON.stringify(vector(64)) } },
      ],
    });
    expect(Object.keys(row.otel.attributes as object)).toEqual([
      "embedding.embeddings.1.embedding.vector",
      "embedding.embeddings.0.embedding.text",
      "x.numbers",
    ]);
    expect(row.otel.events).toMatchObject([{ attributes: {} }]);
  });
});
