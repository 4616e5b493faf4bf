import { createHash, randomBytes, randomUUID } from "node:crypto";
import type { Tenant } from "./tenant.ts";

/** Names and ids that all tenants share: where a project must separate them, the matrix detects a leak. */
export const shared = {
  sessionId: "shared-session",
  spanId: "shared-span",
  idempotencyKey: "shared-key",
  batchId: "shared-batch",
  agent: "shared-agent",
  model: "shared-model",
  prompt: "shared-prompt",
  runName: "shared-experiment",
  tool: "shared_tool",
  otelTraceId: randomBytes(16).toString("hex"),
  otelSpanId: randomBytes(8).toString("hex"),
  otelUpdatedId: randomBytes(8).toString("hex"),
};

/** An id of an OpenTelemetry trace. */
export const newTraceId = (): string => randomBytes(16).toString("hex");

export const traceBody = ({ canary }: Tenant, more: object = {}) => ({
  name: `${canary} trace`,
  input: { question: `${canary} input` },
  output: `${canary} output`,
  framework: `${canary} framework`,
  model: `${canary}-model`,
  input_tokens: 10,
  output_tokens: 5,
  tool_calls: [{ name: `${canary}_tool`, input: { of: canary }, output: canary }],
  metadata: { note: canary },
  performance_summary: { note: canary },
  spanId: randomUUID(),
  ...more,
});

/** Each tenant has stored it, so that the answer to its announcement is always the same. */
export const sharedMedia = Buffer.from("shared media");

export const mediaBody = (content: Buffer) => ({
  contentType: "image/png",
  contentLength: content.length,
  sha256: createHash("sha256").update(content).digest("base64"),
});

/** Matches the output of every trace of the tenant. */
export const patternBody = ({ canary }: Tenant) => ({
  name: `${canary} pattern ${randomUUID()}`,
  description: canary,
  includeTerms: [canary],
});

/** Scores nothing: its sample is empty. */
export const customEvaluatorBody = ({ canary }: Tenant) => ({
  name: `${canary} evaluator`,
  kind: "code",
  script: `// ${canary}`,
  sampleRate: 0,
});

/** Points to a port without a listener, and receives no signals: there are many. */
export const webhookBody = ({ canary }: Tenant) => ({
  url: `http://127.0.0.1:65534/${canary}`,
  description: canary,
  events: ["gate.failed"],
});

export const alertRuleBody = ({ canary }: Tenant) => ({
  name: `${canary} rule`,
  metric: "traceCount",
  comparison: "below",
  threshold: 1,
  windowMinutes: 1,
  enabled: false,
});

export const datasetBody = ({ canary }: Tenant, more: object = {}) => ({
  name: `${canary} dataset`,
  description: `${canary} description`,
  acceptanceCriteria: `${canary} accepted`,
  jaccardSimilarity: { enabled: true },
  ci: { enabled: true, exposeTestInputs: true, passRateThreshold: 0.5 },
  questions: [0, 1].map((number) => ({
    main_question: { query: `${canary} question ${number}?`, expectedResults: `${canary} answer ${number}` },
    tags: [canary],
  })),
  ...more,
});

export const settingsBody = ({ canary }: Tenant) => ({
  name: `${canary} settings`,
  description: canary,
  acceptanceCriteria: `${canary} accepted`,
  toolContext: "detailed",
});

export const resultBody = ({ canary }: Tenant, more: object = {}) => ({
  idempotencyKey: randomUUID(),
  questionIndex: 0,
  input: { query: `${canary} question 0?` },
  output: { text: `${canary} answer` },
  retrievalContext: `${canary} context`,
  ...more,
});

export const promptBody = ({ canary }: Tenant, name = `${canary} prompt ${randomUUID()}`) => ({
  name,
  text: `${canary} text`,
  description: canary,
});

export const toolSchemaBody = ({ canary }: Tenant, name = `${canary}_${randomUUID()}`) => ({
  name,
  definition: JSON.stringify({ type: "object", description: canary }),
  description: canary,
});

export const modelBody = ({ canary }: Tenant, id: string) => ({
  id,
  provider: "openai",
  label: `${canary} label`,
  pricePerMInputTokens: 1,
  pricePerMOutputTokens: 1,
});

/** One OpenTelemetry span and a child; each tenant sends them under the same ids. */
export function otlpBody({ canary }: Tenant, traceId: string = shared.otelTraceId): object {
  const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
  const now = `${Date.now()}000000`;
  const span = (spanId: string, parentSpanId: string | undefined, more: object[]) => ({
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name: `${canary} span`,
    startTimeUnixNano: now,
    endTimeUnixNano: now,
    attributes: [
      text("gen_ai.operation.name", "chat"),
      text("gen_ai.request.model", `${canary}-otel-model`),
      text("gen_ai.response.id", `resp-${traceId}`),
      text("input.value", `${canary} otel input`),
      text("output.value", `${canary} otel output`),
      ...more,
    ],
  });
  const child = shared.otelSpanId.split("").reverse().join("");
  return {
    resourceSpans: [
      {
        resource: { attributes: [text("service.name", `${canary} service`)] },
        scopeSpans: [
          {
            spans: [
              span(shared.otelSpanId, undefined, [text("session.id", shared.sessionId)]),
              span(child, shared.otelSpanId, []),
            ],
          },
        ],
      },
    ],
  };
}

/** A log record about the span of {@link otlpBody}. */
export function logsBody({ canary }: Tenant, traceId: string = shared.otelTraceId): object {
  const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
  return {
    resourceLogs: [
      {
        scopeLogs: [
          {
            logRecords: [
              {
                timeUnixNano: `${Date.now()}000000`,
                traceId,
                spanId: shared.otelSpanId,
                eventName: "gen_ai.user.message",
                attributes: [text("event.name", "gen_ai.user.message"), text("gen_ai.system", "openai")],
                body: {
                  kvlistValue: { values: [text("content", `${canary} logged message`)] },
                },
              },
            ],
          },
        ],
      },
    ],
  };
}
