import { describe, expect, test } from "vitest";
import type { IncomingSpan } from "../../src/model/span.ts";
import { decodeTraceExport, readTraceExport } from "../../src/otlp/decode-trace-export.ts";
import { OtlpDecodeError } from "../../src/otlp/wire/otlp-decode-error.ts";
import { buildExport, type SpanSketch } from "./build-export.ts";
import { nowMs } from "./corpus.ts";
import { encodeReference } from "./reference-decoder.ts";

const sketches = Array.from(
  { length: 25 },
  (_, at): SpanSketch => ({ name: `s${at}`, attributes: { a: "x".repeat(at) } }),
);
const json = buildExport(...sketches);
const protobuf = encodeReference(JSON.parse(json.toString()));

describe.each([
  ["json", json],
  ["protobuf", protobuf],
] as const)("an export in %s", (contentType, body) => {
  test("is handed on in slices that together are all of it, in order, one after the other", async () => {
    const slices: IncomingSpan[][] = [];
    let taking = 0;
    const summary = await readTraceExport(
      { body, contentType, nowMs },
      { rowsMax: 10, bytesMax: Number.POSITIVE_INFINITY },
      async (spans) => {
        taking += 1;
        expect(taking).toBe(1);
        await new Promise((resolve) => setImmediate(resolve));
        taking -= 1;
        slices.push(spans);
      },
    );
    const whole = await decodeTraceExport({ body, contentType, nowMs });
    expect(slices.map(({ length }) => length)).toEqual([10, 10, 5]);
    expect({ ...summary, spans: slices.flat() }).toEqual(whole);
  });

  test("is split by bytes too, and reports its current size, never more than a slice", async () => {
    const held: number[] = [];
    const sizes: number[] = [];
    await readTraceExport(
      { body, contentType, nowMs },
      { rowsMax: 1_000, bytesMax: Math.ceil(body.length / 3), hold: (rows) => held.push(rows) },
      async (spans) => void sizes.push(spans.length),
    );
    expect(sizes.length).toBeGreaterThan(1);
    expect(Math.max(...held)).toBe(Math.max(...sizes));
    expect(held.filter((rows) => rows === 0)).toHaveLength(sizes.length - 1);
  });

  test("that breaks off is refused before anything is handed on", async () => {
    const taken: number[] = [];
    const reading = readTraceExport(
      { body: body.subarray(0, -3), contentType, nowMs },
      { rowsMax: 1, bytesMax: 1 },
      async (spans) => void taken.push(spans.length),
    );
    await expect(reading).rejects.toThrow(OtlpDecodeError);
    expect(taken).toEqual([]);
  });

  test("a slice that cannot be processed ends the reading", async () => {
    let taken = 0;
    const reading = readTraceExport({ body, contentType, nowMs }, { rowsMax: 10, bytesMax: 1e9 }, async () => {
      taken += 1;
      throw new Error("full");
    });
    await expect(reading).rejects.toThrow("full");
    expect(taken).toBe(1);
  });
});

describe("with GenAI only", () => {
  const inTrace = (digit: string, sketch: SpanSketch): SpanSketch => ({
    ...sketch,
    more: { traceId: digit.repeat(32) },
  });
  const body = buildExport(
    inTrace("a", { name: "GET /", attributes: { "http.method": "GET" } }),
    inTrace("b", { name: "GET /health", attributes: { "http.method": "GET" } }),
    inTrace("b", { name: "select", attributes: { "db.system": "postgresql" } }),
    inTrace("a", { name: "chat", attributes: { "gen_ai.operation.name": "chat" } }),
    inTrace("c", { name: "by scope", scope: "@mastra/otel" }),
    inTrace("d", { name: "by event", events: [{ name: "gen_ai.choice" }] }),
  );

  test("traces that tell nothing of it are left out with a warning, the others are whole, also across slices", async () => {
    const names: string[] = [];
    const summary = await readTraceExport(
      { body, contentType: "json", nowMs, genAiOnly: true },
      { rowsMax: 1, bytesMax: 1e9 },
      async (spans) => void names.push(...spans.map(({ name }) => name)),
    );
    expect(names).toEqual(["GET /", "chat", "by scope", "by event"]);
    expect(summary).toEqual({
      spanCount: 6,
      rejected: 0,
      reason: null,
      message: "2 spans of traces without any GenAI span were dropped",
    });
  });

  test("is not the default: everything is stored", async () => {
    expect(await decodeTraceExport({ body, contentType: "json", nowMs })).toMatchObject({
      spanCount: 6,
      message: null,
      spans: { length: 6 },
    });
  });
});
