import { limits } from "@touchstone/contracts";
import { ComputeError, type ComputePool, isAppError } from "@touchstone/service-kit";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createDecodeApart } from "../../src/otlp/decode-apart.ts";
import { decodeItemInThread, type ItemInThread } from "../../src/otlp/decode-item-thread.ts";
import { decodeTraceExport, readTraceExport } from "../../src/otlp/decode-trace-export.ts";
import { OtlpDecodeError } from "../../src/otlp/wire/otlp-decode-error.ts";
import { buildExport, decodeJson } from "./build-export.ts";
import { decodeLogs, listCaptures, nowMs, readCapture } from "./corpus.ts";
import { encodeReference } from "./reference-decoder.ts";

const traceId = "5b8efff798038103d269b633813fc60c";
const many = (count: number, item: string): string => `${`${item},`.repeat(count - 1)}${item}`;
const spanText = (name: string, members = ""): string =>
  `{"traceId":"${traceId}","spanId":"${Buffer.from(name.padEnd(8)).toString("hex")}","name":"${name}"${members}}`;
const exportText = (spans: string, resource = ""): string =>
  `{"resourceSpans":[{${resource}"scopeSpans":[{"spans":[${spans}]}]}]}`;

/** A length-delimited field of protobuf. */
function field(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const length: number[] = [];
  let rest = content.length;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) length.push((rest % 128) | 0x80);
  return Buffer.concat([Buffer.from([tag, ...length, rest]), content]);
}
const spanField = (...fields: Buffer[]): Buffer =>
  field(0x12, field(0x0a, Buffer.from(traceId, "hex")), field(0x12, Buffer.from("eee19b7ec3c10000", "hex")), ...fields);
const exportOf = (...spans: Buffer[]): Buffer => field(0x0a, field(0x12, ...spans));

afterEach(() => void vi.restoreAllMocks());

describe("a span that holds too much is rejected for itself, and its neighbours are stored:", () => {
  const fullText = many(limits.otlpValuesMax, "1");
  const tooManyAttributes = Array.from(
    { length: limits.otlpAttributesMax + 1 },
    (_, at) => `{"key":"k${at}","value":{}}`,
  ).join(",");
  test.each([
    ["values", `more than ${limits.otlpValuesMax} values`, `,"attributes":[${many(600_000, "{}")}]`],
    ["values of one list", `more than ${limits.otlpValuesMax} values`, `,"x":[${fullText}]`],
    ["attributes", `more than ${limits.otlpAttributesMax} attributes`, `,"attributes":[${tooManyAttributes}]`],
    ["events", `more than ${limits.otlpEventsMax} events`, `,"events":[${many(limits.otlpEventsMax + 1, "{}")}]`],
    ["links", `more than ${limits.otlpLinksMax} links`, `,"links":[${many(limits.otlpLinksMax + 1, "{}")}]`],
  ])("too many %s in JSON", async (_what, reason, members) => {
    const spans = [spanText("before"), spanText("hostile", members), spanText("after")];
    const { spans: stored, rejected, message } = await decodeJson(Buffer.from(exportText(spans.join(","))));
    expect(stored.map(({ name }) => name)).toEqual(["before", "after"]);
    expect(rejected).toBe(1);
    expect(message).toContain(`1 of 3 spans rejected: 1x ${reason} (first: span "`);
  });

  test.each([
    [
      "attributes, most of them empty",
      `more than ${limits.otlpValuesMax} values`,
      Buffer.from("4a00".repeat(limits.otlpValuesMax + 1), "hex"),
    ],
    [
      "items of one list",
      `more than ${limits.otlpValuesMax} values`,
      field(0x4a, field(0x12, field(0x2a, Buffer.from("0a00".repeat(limits.otlpValuesMax), "hex")))),
    ],
    ["events", `more than ${limits.otlpEventsMax} events`, Buffer.from("5a00".repeat(limits.otlpEventsMax + 1), "hex")],
    ["links", `more than ${limits.otlpLinksMax} links`, Buffer.from("6a00".repeat(limits.otlpLinksMax + 1), "hex")],
  ])("too many %s in protobuf", async (_what, reason, fields) => {
    const body = exportOf(spanField(), spanField(fields), spanField());
    const { spans, rejected, message } = await decodeTraceExport({ body, contentType: "protobuf", nowMs });
    expect([spans.length, rejected]).toEqual([2, 1]);
    expect(message).toContain(`1 of 3 spans rejected: 1x ${reason} (first: span "`);
  });

  test("a log record too", async () => {
    const log = (body: string): string =>
      `{"traceId":"${traceId}","spanId":"eee19b7ec3c10000","eventName":"gen_ai.user.message","body":${body}}`;
    const records = [log('{"stringValue":"hello"}'), log(`[${many(600_000, "{}")}]`)].join(",");
    const body = Buffer.from(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[${records}]}]}]}`);
    const { fragments, rejected, message } = await decodeLogs(body, "json");
    expect([fragments.length, rejected]).toEqual([1, 1]);
    expect(message).toContain(`more than ${limits.otlpValuesMax} values`);
  });
});

test("an export that is refused for its contents is never built", async () => {
  const parse = vi.spyOn(JSON, "parse");
  const body = Buffer.from(
    exportText([spanText("fine"), spanText("hostile", `,"attributes":[${many(600_000, "{}")}]`)].join(",")),
  );
  await decodeJson(body);
  const longest = Math.max(...parse.mock.calls.map(([text]) => text.length));
  expect(longest).toBeLessThan(1_000);
});

test("beyond the values of a whole export its spans are rejected, one by one", async () => {
  const full = `,"x":[${many(limits.otlpValuesMax - 100, "1")}]`;
  const count = Math.ceil(limits.otlpExportValuesMax / limits.otlpValuesMax) + 1;
  const spans = Array.from({ length: count }, (_, at) => spanText(`s${at}`, full));
  const {
    spans: stored,
    rejected,
    message,
  } = await decodeJson(Buffer.from(exportText([...spans, spanText("small")].join(","))));
  expect(stored.map(({ name }) => name)).toEqual([...Array.from({ length: 8 }, (_, at) => `s${at}`), "small"]);
  expect(rejected).toBe(count - 8);
  expect(message).toContain(`more than ${limits.otlpExportValuesMax} values in the whole export`);
});

describe("a resource or scope", () => {
  const fine = JSON.parse(buildExport({ name: "fine" }).toString()).resourceSpans[0];
  test.each([
    [
      "with too many values",
      `a resource with more than ${limits.otlpResourceValuesMax} values`,
      { resource: { x: Array(limits.otlpResourceValuesMax).fill(1) } },
    ],
    [
      "of too many bytes",
      `a resource with more than ${limits.otlpResourceMaxBytes} bytes`,
      { resource: { x: "x".repeat(limits.otlpResourceMaxBytes) } },
    ],
    [
      "scope of too many bytes",
      `a scope with more than ${limits.otlpResourceMaxBytes} bytes`,
      { scopeSpans: [{ ...fine.scopeSpans[0], scope: { x: "x".repeat(limits.otlpResourceMaxBytes) } }] },
    ],
  ])("%s costs its own spans alone", async (_what, reason, changed) => {
    const body = Buffer.from(JSON.stringify({ resourceSpans: [{ ...fine, ...changed }, fine] }));
    const { spans, rejected, message } = await decodeJson(body);
    expect([spans.length, rejected]).toEqual([1, 1]);
    expect(message).toContain(`1 of 2 spans rejected: 1x ${reason}`);
  });

  test("of protobuf with too many attributes costs its own spans alone", async () => {
    const attributes = Array.from({ length: limits.otlpResourceValuesMax + 1 }, (_, at) =>
      field(0x0a, field(0x0a, Buffer.from(`${at}`))),
    );
    const body = Buffer.concat([
      field(0x0a, field(0x0a, ...attributes), field(0x12, spanField())),
      exportOf(spanField()),
    ]);
    const { spans, rejected, message } = await decodeTraceExport({ body, contentType: "protobuf", nowMs });
    expect([spans.length, rejected]).toEqual([1, 1]);
    expect(message).toContain(`a resource with more than ${limits.otlpResourceValuesMax} values`);
  });
});

describe("an export of too many parts is refused as a whole:", () => {
  test.each([
    [
      "spans in JSON",
      "json",
      Buffer.from(exportText(many(limits.otlpItemsMax + 1, "{}"))),
      "spans, log records or metrics",
    ],
    [
      "spans in protobuf",
      "protobuf",
      exportOf(Buffer.from("1200".repeat(limits.otlpItemsMax + 1), "hex")),
      "spans, log records or metrics",
    ],
    [
      "resources in JSON",
      "json",
      Buffer.from(`{"resourceSpans":[${many(limits.otlpEnvelopesMax, "{}")}]}`),
      "resources, scopes and lists",
    ],
    [
      "resources in protobuf",
      "protobuf",
      Buffer.from("0a00".repeat(limits.otlpEnvelopesMax + 1), "hex"),
      "resources, scopes and lists",
    ],
    [
      "members of its root",
      "json",
      Buffer.from(`{${many(limits.otlpEnvelopesMax + 1, '"a":0')}}`),
      "resources, scopes and lists",
    ],
  ] as const)("%s", async (_what, contentType, body, what) => {
    const taken: number[] = [];
    const reading = readTraceExport(
      { body, contentType, nowMs },
      { rowsMax: 8192, bytesMax: 1e9 },
      async (spans) => void taken.push(spans.length),
    );
    await expect(reading).rejects.toThrow(OtlpDecodeError);
    await expect(reading).rejects.toThrow(what);
    expect(taken).toEqual([]);
  });
});

test("unused parts are skipped, not built, however large they are", async () => {
  const parse = vi.spyOn(JSON, "parse");
  const unknown = `"resourceLogs":[${many(600_000, "{}")}],"x":"${"x".repeat(2_000_000)}"`;
  const { spans, message } = await decodeJson(
    Buffer.from(`{${unknown},"resourceSpans":[{"scopeSpans":[{"spans":[${spanText("fine")}]}]}]}`),
  );
  expect([spans.length, message]).toEqual([1, null]);
  expect(Math.max(...parse.mock.calls.map(([text]) => text.length))).toBeLessThan(1_000);
});

test.each([
  "",
  "{",
  '{"a":"',
  '{"a":[',
  `{"a":[${many(20_000, "1")}`,
  `{"a":"${"x".repeat(600_000)}`,
  `{"a":"${"\\".repeat(600_001)}`,
  `{"a":[${many(20_000, "1")}]]`,
])("a body that breaks off in a short or long value is no JSON (%#)", async (text) => {
  await expect(decodeJson(Buffer.from(text))).rejects.toThrow(OtlpDecodeError);
});

describe("a span that would hold the event loop", () => {
  const long = "x".repeat(300_000);
  const flat = Object.fromEntries(
    Array.from({ length: 6_000 }, (_, at) => [`llm.input_messages.${at}.message.content`, "hello"]),
  );
  const sketches = [
    { name: "small" },
    { name: "long", attributes: { "input.value": long } },
    { name: "flat", attributes: flat },
    { name: "last" },
  ];
  const json = buildExport(...sketches);
  const bodies = [
    ["json", json],
    ["protobuf", encodeReference(JSON.parse(json.toString()))],
  ] as const;

  /** A pool that computes at once, and remembers what. */
  function threads(run: (input: ItemInThread) => unknown = decodeItemInThread) {
    const inputs: ItemInThread[] = [];
    const pool = {
      run: async (_task: unknown, input: ItemInThread) => {
        inputs.push(structuredClone(input));
        return structuredClone(run(structuredClone(input)));
      },
    } as unknown as ComputePool;
    return { inputs, decodeHeavy: createDecodeApart(pool)("project") };
  }

  test.each(bodies)(
    "is decoded in a thread, the others are not, and the rows are the same in the same order: %s",
    async (contentType, body) => {
      const { inputs, decodeHeavy } = threads();
      const apart = await decodeTraceExport({ body, contentType, nowMs, decodeHeavy, genAiOnly: true });
      expect(apart).toEqual(await decodeTraceExport({ body, contentType, nowMs, genAiOnly: true }));
      expect(apart.spans.map(({ name }) => name)).toEqual(["small", "long", "flat", "last"]);
      expect(inputs.map(({ kind }) => kind)).toEqual(["genAiTrace", "genAiTrace", "span", "span"]);
    },
  );

  test.each([
    ["timeout", "it takes too long to decode"],
    ["memory", "it takes too much memory to decode"],
  ] as const)("is rejected when its thread is ended (%s)", async (kind, reason) => {
    const { decodeHeavy } = threads(() => {
      throw new ComputeError(kind, "ended");
    });
    const { spans, rejected, message } = await decodeTraceExport({
      body: json,
      contentType: "json",
      nowMs,
      decodeHeavy,
    });
    expect([spans.map(({ name }) => name), rejected]).toEqual([["small", "last"], 2]);
    expect(message).toContain(`2x ${reason}`);
  });

  test("asks for the whole export again when no thread takes it", async () => {
    const { decodeHeavy } = threads(() => {
      throw new ComputeError("busy", "full");
    });
    const thrown = await decodeTraceExport({ body: json, contentType: "json", nowMs, decodeHeavy }).catch(
      (cause) => cause,
    );
    expect(isAppError(thrown) && thrown.code).toBe("queue_full");
  });

  test("of bad JSON refuses the export, as a light one does", async () => {
    const body = Buffer.from(exportText(spanText("bad", `,"x":[${"1,".repeat(20_000)}]`)));
    const { inputs, decodeHeavy } = threads();
    await expect(decodeTraceExport({ body, contentType: "json", nowMs, decodeHeavy })).rejects.toThrow(OtlpDecodeError);
    expect(inputs).toHaveLength(1);
  });
});

test("no capture of a real producer is anywhere near a bound", async () => {
  for (const capture of listCaptures().filter(({ signal }) => signal === "traces")) {
    const { rejected } = await decodeTraceExport({
      body: await readCapture(capture),
      contentType: capture.contentType,
      nowMs,
    });
    expect(rejected, capture.name).toBe(0);
  }
});
