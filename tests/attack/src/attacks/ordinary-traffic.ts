import { randomBytes } from "node:crypto";
import { type ExportedSpan, encodeProtobufExport } from "../../../chaos/src/otlp-export.ts";
import type { Attack } from "../attack.ts";
import { untilOver } from "../attacker/at-once.ts";

/**
 * The traffic of a busy project, under which every limit must be met. It warms the installation up and measures the
 * machine.
 */
export const ordinaryTraffic: Attack = {
  name: "ordinary-traffic",
  does: "Sends what a busy project sends, as the yardstick of this machine; every round begins with it.",
  setting: "projects",
  async prepare({ openTenant, clientOf, over }) {
    const client = clientOf(await openTenant("ordinary"));
    const text = "How is the weather in Paris, and what should be packed for a week there? ".repeat(20);
    const question = { main_question: { query: "How is the weather?", expectedResults: "Sunny." } };
    const turns = [
      () => client.post("/ingest/traces", { name: "weather", input: text, output: text, session_id: "a" }),
      () => client.post("/otel/v1/traces", exportOf(text), { "content-type": "application/x-protobuf" }),
      () => client.get("/ingest/traces?limit=50"),
      () => client.post("/custom-agent-evaluations/datasets", { name: "weather", questions: [question] }),
      () => client.get("/custom-agent-evaluations/datasets?view=summary"),
    ];
    return () =>
      untilOver({ atOnce: 3, pauseMs: 10, over }, (number) => turns[number % turns.length]?.() as Promise<unknown>);
  },
};

function exportOf(text: string): Buffer {
  const traceId = randomBytes(16).toString("hex");
  const startNano = BigInt(Date.now()) * 1_000_000n;
  const root = randomBytes(8).toString("hex");
  const spans = Array.from(
    { length: 16 },
    (_span, at): ExportedSpan => ({
      traceId,
      spanId: at === 0 ? root : randomBytes(8).toString("hex"),
      parentSpanId: at === 0 ? null : root,
      name: `step ${at}`,
      startNano,
      endNano: startNano + 5_000_000n,
      attributes: { "input.value": text, "output.value": text },
    }),
  );
  return encodeProtobufExport(spans);
}
