import { type DemoClient, inParallel } from "../demo-client.ts";
import { encodeExport, type TraceToSend } from "./otlp.ts";
import type { PlannedTrace } from "./planned-trace.ts";
import type { TimedTrace } from "./schedule.ts";
import { rootSpanId, spansOfTrace } from "./spans-of-trace.ts";

const tracesPerExport = 50;
const atOnce = 2;

/** Sends the traces over OTLP, only complete ones in each export, oldest first. */
export async function sendTraffic(
  client: DemoClient,
  traces: readonly TimedTrace[],
  onSent: (count: number) => void,
): Promise<void> {
  const exports = Array.from({ length: Math.ceil(traces.length / tracesPerExport) }, (_, index) =>
    traces.slice(index * tracesPerExport, (index + 1) * tracesPerExport),
  );
  await inParallel(exports, atOnce, async (some) => {
    await sendExport(client, some.map(toSend));
    onSent(some.length);
  });
}

export async function sendExport(client: DemoClient, traces: readonly TraceToSend[]): Promise<void> {
  await client.send("/otel/v1/traces", encodeExport(traces), { "content-type": "application/json" });
}

function toSend({ trace, startMs }: TimedTrace): TraceToSend {
  const { agent } = trace;
  return { ...spansOfTrace(trace), startMs, scope: agent.scope, service: agent.name, version: agent.version };
}

/** The trace ids by span id of their root, for all traces that the project lists. */
export async function readTraceIds(client: DemoClient): Promise<(trace: PlannedTrace) => string | null> {
  const ids = new Map<string, string>();
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: TracePage = await client.call("GET", `/ingest/traces?limit=100${cursor && `&cursor=${cursor}`}`);
    for (const { _id, spanId } of page.traces) if (spanId !== undefined) ids.set(spanId, _id);
    cursor = page.nextCursor;
  }
  return (trace) => ids.get(rootSpanId(trace.key)) ?? null;
}

interface TracePage {
  traces: { _id: string; spanId?: string }[];
  nextCursor: string | null;
}
