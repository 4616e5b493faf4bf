import { type ExportedSpan, encodeOtlpExport } from "../otlp-export.ts";
import { createCorpus, markers } from "./corpus.ts";
import { createRandom } from "./random.ts";

/** Input and output of a span together. */
const medianBytes = 2 * 1024;
const p99Bytes = 60 * 1024;
/** The maximum of a span, so that one export stays within the limits of OTLP. */
const bytesMax = 400 * 1024;

const childKinds = ["chat", "execute_tool", "chat", "retrieval"];
const tracesPerSession = 4;
const exportBytesMax = 4 * 1024 * 1024;

export const spansPerTrace = 1 + childKinds.length;
/** For one separate trace. */
export const largeTraceId = "3000".padEnd(32, "a");
export const largeTraceName = "large-agent";
export const largeTraceSpans = 3_000;

/** Exports of this many traces, each a root with four children, started one after another until `endMs`. */
export async function* exportSeedTraces(options: { traces: number; endMs: number }): AsyncGenerator<Buffer> {
  const random = createRandom(1);
  const writeText = await createCorpus(random);
  let spans: ExportedSpan[] = [];
  let bytes = 0;
  for (let trace = 0; trace < options.traces; trace += 1) {
    const traceId = random.hex(16);
    const rootId = random.hex(8);
    const startMs = options.endMs - (options.traces - trace) * 20;
    for (let place = 0; place < spansPerTrace; place += 1) {
      const size = Math.min(bytesMax, Math.round(random.logNormal(medianBytes, p99Bytes)));
      const isRoot = place === 0;
      const question = isRoot && trace % 4 === 0 ? `${markers.common} ${writeText(size / 2)}` : writeText(size / 2);
      spans.push({
        traceId,
        spanId: isRoot ? rootId : random.hex(8),
        parentSpanId: isRoot ? null : rootId,
        name: isRoot ? `agent-${trace % 40}` : `step-${place}`,
        startMs: startMs + place,
        endMs: startMs + place + 10 + random.below(2_000),
        attributes: {
          "gen_ai.operation.name": isRoot ? "invoke_agent" : (childKinds[place - 1] as string),
          "gen_ai.request.model": `model-${trace % 5}`,
          "session.id": `session-${Math.floor(trace / tracesPerSession)}`,
          "input.value": question,
          "output.value": writeText(size / 2),
        },
      });
      bytes += size;
    }
    if (bytes >= exportBytesMax || trace === options.traces - 1) {
      yield encodeOtlpExport("bench", spans);
      spans = [];
      bytes = 0;
    }
  }
}

/** One trace of 3,000 spans three levels deep, about 1 KB each. */
export async function exportLargeTrace(startMs: number): Promise<Buffer> {
  const writeText = await createCorpus(createRandom(2));
  const idOf = (place: number): string => `b${place.toString(16).padStart(15, "0")}`;
  return encodeOtlpExport(
    "bench",
    Array.from({ length: largeTraceSpans }, (_, place) => ({
      traceId: largeTraceId,
      spanId: idOf(place),
      parentSpanId: place === 0 ? null : idOf(place < 60 ? 0 : 1 + (place % 59)),
      name: place === 0 ? largeTraceName : "large-step",
      startMs: startMs + place,
      endMs: startMs + place + 10,
      attributes: {
        "gen_ai.operation.name": place === 0 ? "invoke_agent" : "chat",
        "input.value": writeText(500),
        "output.value": writeText(500),
      },
    })),
  );
}
