import { randomBytes } from "node:crypto";
import type { Attack, Scene } from "../attack.ts";
import { untilOver } from "../attacker/at-once.ts";
import type { Client } from "../attacker/client.ts";

/** An attack that repeats one kind of request, three at once. */
function repeating(
  { name, does }: Pick<Attack, "name" | "does">,
  prepare: (scene: Scene, client: Client) => (number: number) => Promise<unknown>,
): Attack {
  return {
    name,
    does,
    setting: "projects",
    async prepare(scene) {
      const client = scene.clientOf(await scene.openTenant(name));
      const request = prepare(scene, client);
      return () => untilOver({ atOnce: 3, over: scene.over }, request);
    },
  };
}

const newTraceId = (): string => randomBytes(16).toString("hex");
const newSpanId = (): string => randomBytes(8).toString("hex");
const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const timeOf = (ms: number): string => `${BigInt(ms) * 1_000_000n}`;

/** Updates of a span that each state as many attributes as one request takes. */
const manyAttributes = repeating(
  { name: "many-attributes", does: "POST /ingest/span-updates with 45,000 attributes of their own, of the same span." },
  ({ scaled }, client) => {
    const [traceId, spanId] = [newTraceId(), newSpanId()];
    const count = scaled(45_000);
    return (number) => {
      const names = Array.from({ length: count }, (_, at) => [`${number % 20}.${at}`, at]);
      const update = { traceId, spanId, id: `update ${number}`, attributes: Object.fromEntries(names) };
      return client.post("/ingest/span-updates", { updates: [update] });
    };
  },
);

/** Spans that retrieved tens of thousands of documents. */
const longRetrievals = repeating(
  { name: "long-retrievals", does: "OTLP exports of a retrieval with 30,000 documents, and reads of its trace." },
  ({ scaled }, client) => {
    const documents = Array.from({ length: scaled(30_000) }, (_, at) => [
      attribute(`retrieval.documents.${at}.document.id`, `${at}`),
      attribute(`retrieval.documents.${at}.document.content`, "All of it."),
    ]).flat();
    return async () => {
      const [traceId, spanId] = [newTraceId(), newSpanId()];
      const now = timeOf(Date.now());
      const attributes = [attribute("openinference.span.kind", "RETRIEVER"), ...documents];
      const span = { traceId, spanId, name: "long", startTimeUnixNano: now, endTimeUnixNano: now, attributes };
      await client.post("/otel/v1/traces", { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
      await client.get(`/ingest/traces/${traceId}`);
    };
  },
);

/** Log records that all belong to one span. */
const manyLogRecords = repeating(
  { name: "many-log-records", does: "OTLP exports of 10,000 log records each, all of one span." },
  ({ scaled }, client) => {
    const [traceId, spanId] = [newTraceId(), newSpanId()];
    const count = scaled(10_000);
    return (number) => {
      const now = timeOf(Date.now());
      const logRecords = Array.from({ length: count }, (_, at) => ({
        ...{ traceId, spanId, timeUnixNano: now, eventName: "gen_ai.user.message" },
        body: { stringValue: `message ${number} ${at}` },
      }));
      return client.post("/otel/v1/logs", { resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
    };
  },
);

/** Patterns of nearly the largest size, and their list. */
const largePatterns = repeating(
  {
    name: "large-patterns",
    does: "POST /monitor/patterns with 200 terms of 3,900 characters, their list, and traces.",
  },
  ({ scaled, random }, client) => {
    const terms = (kind: string) => Array.from({ length: scaled(100) }, (_, at) => `${kind} ${at}`.padEnd(3_900, "x"));
    const pattern = { includeTerms: terms("with"), excludeTerms: terms("without"), sampleRate: 1 };
    return (number) => {
      if (random.chance(0.3)) return client.get("/monitor/patterns");
      if (random.chance(0.3)) return client.post("/ingest/traces", { name: "watched", output: "All of it." });
      return client.post("/monitor/patterns", { ...pattern, name: `large ${number}` });
    };
  },
);

/** Things with very many parts, each below its limit. */
export const manyParts: readonly Attack[] = [manyAttributes, longRetrievals, manyLogRecords, largePatterns];
