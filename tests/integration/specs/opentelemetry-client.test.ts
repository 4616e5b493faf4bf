import { SpanStatusCode } from "@opentelemetry/api";
import { JsonTraceSerializer, ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { traceList } from "@touchstone/contracts";
import { expect, test } from "vitest";
import { useCombined } from "../src/use-combined.ts";

const { system, client } = useCombined();

/** One agent span, created with the OpenTelemetry SDK as in an instrumented application. */
async function recordAgentSpan(name: string): Promise<ReadableSpan[]> {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": "shop" }),
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  const span = provider.getTracer("shop-agent").startSpan(`invoke_agent ${name}`, {
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": name,
      "gen_ai.request.model": "gpt-5.6-luna",
      "gen_ai.usage.input_tokens": 120,
      "gen_ai.usage.output_tokens": 24,
      "gen_ai.conversation.id": "conversation-1",
    },
  });
  span.setStatus({ code: SpanStatusCode.ERROR, message: "the tool failed" });
  span.end();
  await provider.forceFlush();
  const spans = exporter.getFinishedSpans();
  await provider.shutdown();
  return spans;
}

test.each([
  ["protobuf", ProtobufTraceSerializer, "application/x-protobuf"],
  ["JSON", JsonTraceSerializer, "application/json"],
])(
  "an export that the OpenTelemetry SDK serialises as %s is listed with the span's contents",
  async (kind, serializer, contentType) => {
    const body = serializer.serializeRequest(await recordAgentSpan(`agent over ${kind}`));

    const answer = await client.send("POST", "/otel/v1/traces", Buffer.from(body ?? []), {
      "content-type": contentType,
    });

    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toContain(contentType);
    const { traces } = await client.expect({ status: 200, schema: traceList }, "GET", "/ingest/traces?limit=1");
    expect(traces[0]).toMatchObject({
      name: `agent over ${kind}`,
      spanKind: "agent",
      model: "gpt-5.6-luna",
      inputTokens: 120,
      outputTokens: 24,
      sessionId: "conversation-1",
      error: "the tool failed",
    });
  },
);

test("the SDK accepts our answer to a protobuf export as full success", async () => {
  const body = ProtobufTraceSerializer.serializeRequest(await recordAgentSpan("quiet"));
  const response = await fetch(`${system.url}/api/v1/otel/v1/traces`, {
    method: "POST",
    headers: { "x-api-key": system.apiKey, "content-type": "application/x-protobuf" },
    body: Buffer.from(body ?? []),
  });

  const read = ProtobufTraceSerializer.deserializeResponse(new Uint8Array(await response.arrayBuffer()));

  expect(read.partialSuccess).toBeUndefined();
});
