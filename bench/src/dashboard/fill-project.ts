import { randomBytes } from "node:crypto";
import { type ExportedSpan, encodeOtlpExport } from "../otlp-export.ts";
import type { Standalone } from "../standalone.ts";

const spansPerExport = 2_000;
const childrenOfOne = 8;

/** Sends one trace with this many spans, eight to a parent, and returns the project's id for it. */
export async function sendLargeTrace(system: Standalone, count: number): Promise<string> {
  const traceId = randomBytes(16).toString("hex");
  const ids = Array.from({ length: count }, () => randomBytes(8).toString("hex"));
  const startMs = Date.now() - 3_600_000;
  const spans = ids.map((spanId, index): ExportedSpan => {
    const parent = index === 0 ? null : (ids[Math.floor((index - 1) / childrenOfOne)] as string);
    return {
      ...{ traceId, spanId, parentSpanId: parent, name: index === 0 ? `crawl of ${count} spans` : `step ${index}` },
      startMs: startMs + index * 5,
      endMs: startMs + index * 5 + (count - index) * 2,
      attributes: {
        "gen_ai.operation.name": index % 3 === 0 ? "execute_tool" : "chat",
        "input.value": `text ${index}`,
      },
    };
  });
  await sendSpans(system, spans);
  const { traces } = (await readJson(system, `/ingest/traces?limit=1&search=${traceId}`)) as {
    traces: { _id: string }[];
  };
  const [found] = traces;
  if (found === undefined) throw new Error(`The trace of ${count} spans is not in the list.`);
  return found._id;
}

/** Sends this many traces of one span each, a second apart. */
export async function sendManyTraces(system: Standalone, count: number): Promise<void> {
  const nowMs = Date.now();
  const spans = Array.from({ length: count }, (_, index): ExportedSpan => {
    const startMs = nowMs - (count - index) * 1_000;
    return {
      ...{ traceId: randomBytes(16).toString("hex"), spanId: randomBytes(8).toString("hex"), parentSpanId: null },
      ...{ name: "weather-agent", startMs, endMs: startMs + 800 + (index % 500) },
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "input.value": `How is the weather in city ${index}, and should I take a coat?`,
        "output.value": `Sunny, ${index % 40} degrees in city ${index}. You need no coat today.`,
      },
    };
  });
  await sendSpans(system, spans);
}

export async function readJson(system: Standalone, route: string): Promise<unknown> {
  const response = await fetch(`${system.address}/api/v1${route}`, { headers: { "x-api-key": system.apiKey } });
  if (!response.ok) throw new Error(`GET ${route} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

async function sendSpans(system: Standalone, spans: readonly ExportedSpan[]): Promise<void> {
  for (let from = 0; from < spans.length; from += spansPerExport) {
    const response = await fetch(`${system.address}/api/v1/otel/v1/traces`, {
      method: "POST",
      headers: { "x-api-key": system.apiKey, "content-type": "application/x-protobuf" },
      body: new Uint8Array(encodeOtlpExport("bench", spans.slice(from, from + spansPerExport))),
    });
    if (!response.ok) throw new Error(`The export answered ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  }
}
