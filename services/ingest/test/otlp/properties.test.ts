import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { decodeTraceExport } from "../../src/otlp/decode-trace-export.ts";
import { attributeBytesMax } from "../../src/otlp/wire/cap-attributes.ts";
import { OtlpDecodeError } from "../../src/otlp/wire/otlp-decode-error.ts";
import { readJsonInteger } from "../../src/otlp/wire/read-json-value.ts";
import { anyValue, buildExport, decodeJson, keyValues, type PlainValue, rowOf } from "./build-export.ts";
import { nowMs } from "./corpus.ts";
import { encodeReference } from "./reference-decoder.ts";

// Hundreds of decodings each: on a busy machine the default of five seconds is not enough.
vi.setConfig({ testTimeout: 60_000 });

const { tie: plainValue } = fc.letrec<{ tie: PlainValue }>((tie) => ({
  tie: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: "binary" }),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Number.isInteger(value)),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("tie"), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie("tie"), { maxKeys: 4 }),
  ),
}));

const attributes = fc.dictionary(
  fc.string({ minLength: 1 }).map((key) => `x.${key}`),
  plainValue,
  { maxKeys: 6 },
);

describe("attribute values", () => {
  test("of any shape are stored as they were, from JSON and from protobuf alike", async () => {
    await fc.assert(
      fc.asyncProperty(attributes, async (given) => {
        const json = buildExport({ attributes: given });
        const fromJson = await decodeJson(json);
        const otel = JSON.parse(fromJson.spans[0]?.metadata as string).otel;
        // JSON.stringify writes -0 as 0 and drops nothing else here.
        expect(otel.attributes ?? {}).toEqual(JSON.parse(JSON.stringify(given)));

        const body = encodeReference(JSON.parse(json.toString()));
        expect(await decodeTraceExport({ body, contentType: "protobuf", nowMs })).toEqual(fromJson);
      }),
      { numRuns: 200 },
    );
  });

  test("an integer means the same as a number and as text, exactly, whatever its size", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (integer) => {
        const read = readJsonInteger(integer.toString());
        expect(BigInt(read as number | string)).toBe(integer);
        expect(typeof read).toBe(Number.isSafeInteger(Number(integer)) ? "number" : "string");
        if (typeof read === "number") expect(readJsonInteger(read)).toBe(read);
      }),
    );
  });

  test("a value that is no integer is ignored", () => {
    for (const value of ["", " ", "x", "1x", "0x", null, undefined, {}, [], true, Number.NaN]) {
      const read = readJsonInteger(value);
      expect(read === null || Number.isNaN(read), String(value)).toBe(true);
    }
    expect(["1e3", "7.0", " 42 ", "+5", "-0"].map(readJsonInteger)).toEqual([1000, 7, 42, 5, 0]);
  });

  test("that JSON has no number for stay text", async () => {
    const numbers = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const span = JSON.parse(buildExport({}).toString());
    const keyValue = numbers.map((value) => ({ key: String(value), value: { doubleValue: String(value) } }));
    span.resourceSpans[0].scopeSpans[0].spans[0].attributes = keyValue;
    const { spans } = await decodeJson(Buffer.from(JSON.stringify(span)));
    expect(JSON.parse(spans[0]?.metadata as string).otel.attributes).toEqual({
      NaN: "NaN",
      Infinity: "Infinity",
      "-Infinity": "-Infinity",
    });
  });

  test("in the shorthand of hand-written senders are accepted", async () => {
    const row = await rowOf({
      more: {
        attributes: [
          { key: "text", value: "plain" },
          { key: "number", value: 7 },
          { key: "flag", value: { boolValue: "true" } },
          { key: "count", value: { intValue: 2.5 } },
          { key: "double", value: { doubleValue: "2.5" } },
          { key: "none" },
          { value: { stringValue: "without a key" } },
          null,
          "x",
        ],
      },
    });
    expect(row.otel.attributes).toEqual({ text: "plain", number: 7, flag: true, count: 2.5, double: 2.5, none: null });
  });
});

describe("a body of any bytes", () => {
  test("is decoded or refused, never anything else", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 400 }),
        fc.constantFrom("json", "protobuf"),
        async (bytes, contentType) => {
          await decodeOrRefuse(Buffer.from(bytes), contentType);
        },
      ),
      { numRuns: 500 },
    );
  });

  test("that is JSON of any shape is decoded or refused, at any position", async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 3 }), fc.integer({ min: 0, max: 5 }), async (json, place) => {
        const bodies = [
          json,
          `{"resourceSpans":${json}}`,
          `{"resourceSpans":[{"scopeSpans":${json},"resource":${json}}]}`,
          `{"resourceSpans":[{"scopeSpans":[{"spans":${json},"scope":${json}}]}]}`,
          `{"resourceSpans":[{"scopeSpans":[{"spans":[${json}]}]}]}`,
          JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [{ ...validSpan, attributes: wrap(json) }] }] }] }),
        ];
        await decodeOrRefuse(Buffer.from(bodies[place] as string), "json");
      }),
      { numRuns: 500 },
    );
  });

  test("that JSON.parse refuses is refused by us, and the other way round", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.json({ maxDepth: 2 }),
        fc.nat(),
        fc.constantFrom(...`{}[]",:x0 `),
        async (json, at, inserted) => {
          const whole = `{"resourceSpans":[],"x":${json}}`;
          const position = at % whole.length;
          const damaged = whole.slice(0, position) + inserted + whole.slice(position);
          const refused = await decodeJson(Buffer.from(damaged)).then(
            () => false,
            () => true,
          );
          expect(refused).toBe(!isJsonObject(damaged));
        },
      ),
      { numRuns: 1000 },
    );
  });
});

const validSpan = { traceId: "1".repeat(32), spanId: "2".repeat(16), name: "any" };

/** JSON text in the place of every attribute the mapping parses. */
function wrap(json: string): unknown[] {
  const keys = [
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "input.value",
    "langfuse.observation.output",
    "langfuse.observation.usage_details",
    "metadata",
    "gen_ai.tool.definitions",
    "gen_ai.system_instructions",
    "llm.input_messages.0.message",
    "ai.response.toolCalls",
    "events",
    "traceloop.entity.input",
    "tag.tags",
  ];
  return keyValues({ "openinference.span.kind": "AGENT", ...Object.fromEntries(keys.map((key) => [key, json])) });
}

async function decodeOrRefuse(body: Buffer, contentType: "json" | "protobuf"): Promise<void> {
  try {
    const { spans } = await decodeTraceExport({ body, contentType, nowMs });
    for (const span of spans) {
      for (const text of [span.input, span.output, span.toolCalls, span.metadata]) {
        if (text !== null) expect(JSON.parse(text)).toBeDefined();
      }
    }
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(OtlpDecodeError);
  }
}

/** Repeated or misspelt names can turn the list into something else, which is refused although it is JSON. */
function isJsonObject(text: string): boolean {
  try {
    const value = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    return value.resourceSpans === undefined || value.resourceSpans === null || Array.isArray(value.resourceSpans)
      ? (value.resourceSpans ?? []).every((entry: unknown) => typeof entry === "object" && !Array.isArray(entry))
      : false;
  } catch {
    return false;
  }
}

describe("size", () => {
  test("of a span's attributes is limited to 4 MiB by cutting the largest alike, and the sender is warned", async () => {
    const half = attributeBytesMax / 2;
    const given = { small: "kept", a: "x".repeat(half), b: "é".repeat(half / 2), c: ["x".repeat(half)] };
    const { spans, message } = await decodeJson(buildExport({ attributes: given }));
    const { otel } = JSON.parse(spans[0]?.metadata as string);

    expect(message).toContain("warnings: 1x attributes over 4 MiB were truncated");
    expect(otel.truncated).toBe(true);
    const { small, ...cut } = otel.attributes;
    expect(small).toBe("kept");
    for (const value of Object.values<string>(cut)) {
      expect(value).toMatch(/touchstone\.truncated$/);
      expect(Buffer.byteLength(value) / attributeBytesMax).toBeCloseTo(1 / 3, 2);
    }
  });

  test("of a span just below the limit is left alone", async () => {
    const { spans, message } = await decodeJson(
      buildExport({ attributes: { large: "x".repeat(attributeBytesMax - 100) } }),
    );
    expect(message).toBeNull();
    expect(JSON.parse(spans[0]?.metadata as string).otel.attributes.large).toHaveLength(attributeBytesMax - 100);
  });

  test("of names alone cannot exceed it either", async () => {
    const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`${"k".repeat(80)}${index}`, index]));
    const { spans } = await decodeJson(buildExport({ attributes: many }));
    const { attributes: kept } = JSON.parse(spans[0]?.metadata as string).otel;
    expect(Object.keys(kept).length).toBeGreaterThan(40_000);
    expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThan(attributeBytesMax + 1_000_000);
  });

  test("of a conversation may be large in every direction", async () => {
    const results = Array.from({ length: 60_000 }, () => ({ type: "tool_result" }));
    const attributes = Object.fromEntries(results.map((_, at) => [`llm.input_messages.${at % 9999}.x${at}`, 1]));
    const messages = JSON.stringify([{ role: "user", content: results }]);
    const [family, list] = await Promise.all([
      decodeJson(buildExport({ attributes: { "gen_ai.operation.name": "chat", ...attributes } })),
      decodeJson(buildExport({ attributes: { "gen_ai.input.messages": messages, "gen_ai.operation.name": "chat" } })),
    ]);
    expect(JSON.parse(family.spans[0]?.input as string)).toHaveLength(9999);
    expect(JSON.parse(list.spans[0]?.input as string)).toHaveLength(60_000);
  });

  test("of a resource is held to what every row can carry", async () => {
    const { spans } = await decodeJson(buildExport({ resource: { large: "x".repeat(100_000), "service.name": "s" } }));
    const { resource } = JSON.parse(spans[0]?.metadata as string).otel;
    expect(resource["service.name"]).toBe("s");
    expect(JSON.stringify(resource).length).toBeLessThan(17_000);
  });

  test("of an export does not keep others from the event loop", async () => {
    const spans = Array.from({ length: 20_000 }, (_, index) => ({
      ...validSpan,
      spanId: (index + 1).toString(16).padStart(16, "0"),
      attributes: [{ key: "k", value: anyValue("v".repeat(100)) }],
    }));
    const json = Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
    for (const [contentType, body] of [
      ["json", json],
      ["protobuf", encodeReference(JSON.parse(json.toString()))],
    ] as const) {
      let turns = 0;
      const timer = setInterval(() => {
        turns += 1;
      }, 1);
      const decoded = await decodeTraceExport({ body, contentType, nowMs });
      clearInterval(timer);
      expect(decoded.spans).toHaveLength(20_000);
      expect(turns).toBeGreaterThan(5);
    }
  });
});
