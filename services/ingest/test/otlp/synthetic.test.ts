import { inflateBody, isAppError, type OtlpEncoding } from "@touchstone/service-kit";
import { expect, test } from "vitest";
import { type DecodedExport, decodeTraceExport } from "../../src/otlp/decode-trace-export.ts";
import { encodeTraceExportResponse } from "../../src/otlp/encode-reply.ts";
import { checkMetricsEnvelope } from "../../src/otlp/routes.ts";
import { OtlpDecodeError } from "../../src/otlp/wire/otlp-decode-error.ts";
import { bodyLimitBytes, decodeLogs, nowMs, readableRow, readFixture } from "./corpus.ts";

interface Case {
  file: string;
  contentType: string;
  contentEncoding?: string;
  expect: string;
}

const manifest: Case[] = JSON.parse(readFixture("_synthetic/manifest.json").toString());

/** The body as the receiver sees it: inflated, then decoded by its content type. */
async function receive({ file, contentType, contentEncoding }: Case): Promise<DecodedExport> {
  const body = await inflateBody(readFixture(`_synthetic/${file}`), contentEncoding, bodyLimitBytes);
  return decodeTraceExport({ body, contentType: encodingOf(contentType), nowMs });
}

function encodingOf(contentType: string): OtlpEncoding {
  return contentType === "application/json" ? "json" : "protobuf";
}

async function refusalOf(received: Promise<unknown>): Promise<string | undefined> {
  const refusal = await received.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return isAppError(refusal) ? refusal.code : undefined;
}

const full = (spanCount: number) => ({ spanCount, rejected: 0, reason: null, message: null });

/** One check per fixture; `expect` in the manifest says the same in words. */
const checks: Record<string, (received: Promise<DecodedExport>, fixture: Case) => Promise<void> | void> = {
  "01-empty.bin": async (received) => {
    const { rejected, message, ...rest } = await received;
    expect({ rejected, message, ...rest }).toEqual({ ...full(0), spans: [] });
    expect(encodeTraceExportResponse({ rejected, message, contentType: "protobuf" }).body).toHaveLength(0);
  },
  "02-empty-object.json": async (received) => expect(await received).toEqual({ ...full(0), spans: [] }),
  "04-empty-envelope.json": async (received) => expect(await received).toEqual({ ...full(0), spans: [] }),
  "05-minimal.json": async (received) => expect(await received).toMatchObject({ ...full(1), spans: [{ name: "ok" }] }),
  "06-minimal.bin": async (received) => {
    const json = manifest.find(({ file }) => file === "05-minimal.json") as Case;
    expect(await received).toEqual(await receive(json));
  },
  "07-zero-trace-id-plus-good.json": (received) => rejectsOne(received, "traceId is all zeros"),
  "08-zero-trace-id-plus-good.bin": (received) => rejectsOne(received, "traceId is all zeros"),
  "10-short-trace-id-plus-good.bin": (received) => rejectsOne(received, "traceId must be 32 hex characters"),
  "11-missing-trace-id-plus-good.json": (received) => rejectsOne(received, "traceId must be 32 hex characters"),
  "12-missing-trace-id-plus-good.bin": (received) => rejectsOne(received, "traceId must be 32 hex characters"),
  "13-zero-span-id-plus-good.json": (received) => rejectsOne(received, "spanId is all zeros"),
  "14-zero-span-id-plus-good.bin": (received) => rejectsOne(received, "spanId is all zeros"),
  "16-short-span-id-plus-good.bin": (received) => rejectsOne(received, "spanId must be 16 hex characters"),
  "17-missing-span-id-plus-good.json": (received) => rejectsOne(received, "spanId must be 16 hex characters"),
  "18-missing-span-id-plus-good.bin": (received) => rejectsOne(received, "spanId must be 16 hex characters"),
  "19-non-hex-trace-id.json": (received) =>
    rejectsOne(received, "traceId must be 32 hex characters (this one looks base64)"),
  "20-all-bad.json": async (received) => {
    const { spans, rejected, message } = await received;
    expect({ spans, rejected }).toEqual({ spans: [], rejected: 2 });
    expect(message).toBe(
      '2 of 2 spans rejected: 2x traceId must be 32 hex characters (first: span "ok", scope "synthetic")',
    );
  },
  "22-end-before-start.json": async (received) => {
    const { spans, rejected, message } = await received;
    expect(spans[0]).toMatchObject({ latencyMs: 0 });
    expect(rejected).toBe(0);
    expect(message).toContain("warnings: 1x end time is before start time");
  },
  "23-start-zero.json": async (received) => {
    expect(await received).toMatchObject({
      ...full(1),
      spans: [{ startedAtMs: null, endedAtMs: null, latencyMs: null }],
    });
  },
  "24-end-zero.json": async (received) => {
    const { spans } = await received;
    expect(spans[0]).toMatchObject({ startedAtMs: 1795219200000, endedAtMs: null, latencyMs: null });
  },
  "25-start-far-future.json": async (received) => {
    const { spans, message } = await received;
    expect(spans).toEqual([]);
    expect(message).toContain("1 of 1 spans rejected: 1x start time is more than 24 hours ahead");
  },
  "26-empty-name.json": async (received) => expect(await received).toMatchObject({ spans: [{ name: "synthetic" }] }),
  "28-zero-parent.json": async (received) => {
    expect(await received).toMatchObject({ ...full(1), spans: [{ parentSpanId: null }] });
  },
  "29-parent-cycle.json": async (received) => {
    const { spans } = await received;
    expect(spans.map(({ spanId, parentSpanId }) => [spanId, parentSpanId])).toEqual([
      ["eee19b7ec3c1b00a", "eee19b7ec3c1b00b"],
      ["eee19b7ec3c1b00b", "eee19b7ec3c1b00a"],
    ]);
  },
  "30-duplicate-in-batch.json": async (received) => {
    // The store keeps the first; both must reach it in the order they were sent.
    expect(await received).toMatchObject({ ...full(2), spans: [{ name: "first" }, { name: "second" }] });
  },
  "31-json-number-forms.json": async (received) => {
    const { spans } = await received;
    expect(spans[0]).toMatchObject({ error: "x", latencyMs: 250 });
    expect(otelOf(spans[0])).toMatchObject({ kind: "client" });
    expect(otelOf(spans[0]).attributes).toEqual({
      "int.str": 42,
      "int.num": 42,
      "int.big": "9223372036854775807",
      "int.neg": -7,
      dbl: 0.5,
      "dbl.nan": "NaN",
      "dbl.inf": "-Infinity",
      bool: false,
      bytes: "aGVsbG8=",
      null: null,
      empty: null,
      arr: ["a", 1],
      map: { k: "v" },
    });
  },
  "32-enum-names.json": async (received) => {
    const { spans } = await received;
    expect(spans[0]).toMatchObject({ error: "boom" });
    expect(otelOf(spans[0])).toMatchObject({ kind: "client" });
  },
  "34-snake-case.json": async (received) => {
    const { spanCount, rejected, message } = await received;
    expect({ spanCount, rejected }).toEqual({ spanCount: 0, rejected: 0 });
    expect(message).toContain("resourceSpans, not resource_spans");
  },
  "35-attributes-as-object.json": async (received) => {
    expect(await received).toEqual({
      spans: [],
      spanCount: 1,
      rejected: 1,
      reason: "attributes must be an array",
      message: '1 of 1 spans rejected: 1x attributes must be an array (first: span "ok", scope "synthetic")',
    });
  },
  "36-not-json.json": (received) => expect(received).rejects.toThrow(OtlpDecodeError),
  "37-json-array-root.json": (received) => expect(received).rejects.toThrow("its root must be an object"),
  "38-json-null-root.json": (received) => expect(received).rejects.toThrow("its root must be an object"),
  "40-truncated.bin": (received) => expect(received).rejects.toThrow(OtlpDecodeError),
  "41-garbage.bin": (received) => expect(received).rejects.toThrow(OtlpDecodeError),
  "42-json-body-as-protobuf.bin": (received) => expect(received).rejects.toThrow(OtlpDecodeError),
  "43-logs-sent-to-traces.bin": async (received) => {
    const { spans, rejected, message } = await received;
    expect({ spans, rejected }).toEqual({ spans: [], rejected: 1 });
    expect(message).toContain("this looks like an OTLP logs payload; send it to …/v1/logs");
  },
  "44-logs.bin": async (_received, { file }) => {
    const { fragments, ...summary } = await decodeLogs(readFixture(`_synthetic/${file}`), "protobuf");
    expect(summary).toEqual({ recordCount: 1, rejected: 0, reason: null, message: null });
    expect(JSON.parse(fragments[0]?.body ?? "")).toMatchObject({ inputMessages: [{ role: "user", content: "hello" }] });
  },
  "46-minimal-gzip.bin.gz": (received) => isTheMinimalSpan(received),
  "47-minimal-deflate.bin.zz": (received) => isTheMinimalSpan(received),
  "48-minimal-deflate-raw.bin.raw": (received) => isTheMinimalSpan(received),
  "49-minimal-zstd.bin.zst": (received) => isTheMinimalSpan(received),
  "50-gzip-truncated.bin.gz": async (received) => expect(await refusalOf(received)).toBe("body_unreadable"),
  "52-unknown-encoding.bin": async (received) => {
    await expect(received).rejects.toThrow('"br-x"');
    expect(await refusalOf(received)).toBe("unsupported_media_type");
  },
  "53-bomb-128MiB.bin.gz": async (received) => expect(await refusalOf(received)).toBe("body_too_large"),
  "54-proto-key.json": async (received) => {
    const [span] = (await received).spans;
    expect(span?.metadata).toContain('"__proto__":"x","constructor":"y","toString":"z"');
    expect(span?.metadata).toContain('"m":{"__proto__":{"polluted":true}}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  },
  "55-duplicate-attr-keys.json": async (received) => {
    expect(otelOf((await received).spans[0]).attributes).toEqual({ k: "2" });
  },
  "56-deep-nesting.json": async (received) => {
    const { spans, rejected, message } = await received;
    expect(rejected).toBe(0);
    expect(message).toContain("values nested deeper than 32 levels were truncated");
    expect(otelOf(spans[0])).toMatchObject({ truncated: true });
    expect(JSON.stringify(otelOf(spans[0]).attributes)).toContain(`${"[".repeat(32)}"touchstone.truncated"`);
  },
  "58-invalid-utf8.bin": async (received) => {
    expect(await received).toMatchObject({ ...full(1), spans: [{ name: expect.stringContaining("\ufffd") }] });
  },
  "59-nul-and-lone-surrogate.json": async (received) => {
    const { spans } = await received;
    expect(spans[0]?.name).toBe("a\ufffdb");
    expect(spans[0]?.metadata?.isWellFormed()).toBe(true);
    expect(spans[0]?.metadata).toContain(String.raw`"s":"x\ud800y"`);
  },
  "60-late-1-children.json": async (received) => {
    const { spans } = await received;
    expect(spans.map(({ parentSpanId }) => parentSpanId)).toEqual(["eee19b7ec3c1b028", "eee19b7ec3c1b028"]);
    expect(spans[1]).toMatchObject({ kind: "llm", inputTokens: 100, outputTokens: 10 });
  },
  "61-late-2-root.json": async (received) => {
    expect(await received).toMatchObject({
      spans: [{ name: "late-agent", agentName: "late-agent", kind: "agent", parentSpanId: null, inputTokens: null }],
    });
  },
  "62-late-3-child-after-root.json": async (received) => {
    const [span] = (await received).spans;
    expect(JSON.parse(span?.toolCalls as string)).toEqual([
      { name: "t1", input: { i: 1 }, output: "r1", success: true, latencyMs: 1 },
    ]);
  },
  "64-sixty-tools.json": async (received) => {
    const { spans, rejected } = await received;
    expect(rejected).toBe(0);
    expect(spans).toHaveLength(61);
    expect(spans.filter(({ kind }) => kind === "tool")).toHaveLength(60);
  },
  "65-placeholder-then-final.json": async (received) => {
    expect(await received).toEqual({ spans: [], spanCount: 1, rejected: 0, reason: null, message: null });
  },
};

test.each(manifest)("$file: $expect", async (fixture) => {
  const check = checks[fixture.file];
  expect(check, "every fixture of the manifest has a check").toBeDefined();
  await check?.(receive(fixture), fixture);
});

test("a metrics export is checked and a body that is none is refused", async () => {
  await expect(
    checkMetricsEnvelope(readFixture("claude-agent-sdk/03.metrics.bin"), "protobuf"),
  ).resolves.toBeUndefined();
  await expect(checkMetricsEnvelope(readFixture("_synthetic/41-garbage.bin"), "protobuf")).rejects.toThrow(
    OtlpDecodeError,
  );
  await expect(checkMetricsEnvelope(Buffer.from('{"resourceMetrics":{}}'), "json")).rejects.toThrow(OtlpDecodeError);
});

async function rejectsOne(received: Promise<DecodedExport>, reason: string): Promise<void> {
  const { spans, spanCount, rejected, message } = await received;
  expect({ spanCount, rejected }).toEqual({ spanCount: 2, rejected: 1 });
  expect(message).toMatch(/^1 of 2 spans rejected: 1x /);
  expect(message).toContain(reason);
  expect(spans.map(({ name }) => name)).toEqual(["ok"]);
}

async function isTheMinimalSpan(received: Promise<DecodedExport>): Promise<void> {
  expect(await received).toMatchObject({ ...full(1), spans: [{ name: "ok" }] });
}

function otelOf(span: DecodedExport["spans"][number] | undefined): Record<string, unknown> {
  const metadata = readableRow(span as DecodedExport["spans"][number]).metadata as { otel: Record<string, unknown> };
  return metadata.otel;
}
