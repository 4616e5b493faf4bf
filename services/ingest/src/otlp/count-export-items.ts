import type { OtlpEncoding } from "./decode-trace-export.ts";
import { countJsonItems, type JsonEnvelope } from "./read-json-export.ts";
import { countProtobufItems } from "./read-protobuf-export.ts";
import { takeTurn } from "./take-turn.ts";

const logsEnvelope: JsonEnvelope = { entries: "resourceLogs", scopes: "scopeLogs", items: "logRecords" };
const metricsEnvelope: JsonEnvelope = { entries: "resourceMetrics", scopes: "scopeMetrics", items: "metrics" };

/**
 * How many records a log export holds (otlp 7). Its envelope is checked, the records are not read. Throws
 * OtlpDecodeError when it is no log export.
 */
export function countLogRecords(body: Buffer, contentType: OtlpEncoding): Promise<number> {
  return count(contentType === "json" ? countJsonItems(body, logsEnvelope) : countProtobufItems(body));
}

/** Metrics are accepted and not stored; a body that is no metrics export throws OtlpDecodeError (otlp 7). */
export async function checkMetricsEnvelope(body: Buffer, contentType: OtlpEncoding): Promise<void> {
  await count(contentType === "json" ? countJsonItems(body, metricsEnvelope) : countProtobufItems(body));
}

async function count(steps: Generator<null, number, undefined>): Promise<number> {
  const turn = takeTurn();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (turn.isOver()) await turn.next();
  }
}
