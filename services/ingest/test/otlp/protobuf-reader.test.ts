import { describe, expect, test } from "vitest";
import { decodeTraceExport } from "../../src/otlp/decode-trace-export.ts";
import { OtlpDecodeError } from "../../src/otlp/wire/otlp-decode-error.ts";
import { ProtobufError, ProtobufReader } from "../../src/otlp/wire/protobuf-reader.ts";
import type { ReceivedSpan } from "../../src/otlp/wire/received-span.ts";
import { nowMs, readSpans } from "./corpus.ts";

/** A length-delimited field. */
function field(number: number, ...contents: (Buffer | string)[]): Buffer {
  const bytes = Buffer.concat(contents.map((content) => Buffer.from(content as string)));
  return Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(bytes.length)]), bytes]);
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) | 128, ...varint(Math.floor(value / 128))];
}

const ids = [field(1, Buffer.alloc(16, 1)), field(2, Buffer.alloc(8, 2))];
const keyValue = (key: string, ...anyValue: Buffer[]) => [field(1, key), ...anyValue.map((value) => field(2, value))];
const exportOf = (...spanFields: Buffer[]) => field(1, field(2, field(2, ...ids, ...spanFields)));

function spanOf(...spanFields: Buffer[]): ReceivedSpan {
  const [read] = readSpans({ body: exportOf(...spanFields), contentType: "protobuf" });
  if (!read || !("span" in read.reading)) throw new Error(`unreadable: ${JSON.stringify(read)}`);
  return read.reading.span;
}

describe("a field", () => {
  test("may end where its message ends and not one byte later", () => {
    const exact = new ProtobufReader(Buffer.from([2, 65, 66]));
    expect(exact.readString(3)).toBe("AB");
    expect(() => new ProtobufReader(Buffer.from([3, 65, 66, 67])).readString(3)).toThrow(ProtobufError);
    expect(() => new ProtobufReader(Buffer.alloc(8)).readFixed64(7)).toThrow(ProtobufError);
    expect(() => new ProtobufReader(Buffer.from([0x80, 1])).readInt64(1)).toThrow("cut off");
  });

  test("has a number above 0 and no group type", () => {
    const tagOf = (...bytes: number[]) => new ProtobufReader(Buffer.from(bytes)).readTag(bytes.length);
    expect(tagOf(8)).toBe(8);
    expect(() => tagOf(7)).toThrow("number 0");
    expect(() => tagOf(0xff, 0xff, 0xff, 0xff, 0x7f)).toThrow("out of range");
    for (const type of [3, 4, 6, 7]) {
      expect(() => new ProtobufReader(Buffer.alloc(8)).skip(8 | type, 8)).toThrow(`wire type ${type}`);
    }
  });

  test("of a known number and another type is passed over, not misread", () => {
    // name (5) as a number, kind (6) as text, start (7) as text.
    const mistyped = [Buffer.from([5 << 3, 77]), field(6, "x"), field(7, "12345678")];
    expect(spanOf(...mistyped, field(5, "real"))).toMatchObject({ name: "real", otelKind: 0, startNano: 0n });
  });

  test("of an unknown number is passed over in every type", () => {
    const unknown = [Buffer.from([0x98, 0x06, 1]), Buffer.from([0x99, 0x06, ...Buffer.alloc(8)]), field(99, "x")];
    const fixed32 = Buffer.from([0x9d, 0x06, 0, 0, 0, 0]);
    expect(spanOf(...unknown, fixed32, field(5, "kept")).name).toBe("kept");
  });
});

describe("an integer", () => {
  const read = (...bytes: number[]) => new ProtobufReader(Buffer.from(bytes)).readInt64(bytes.length);

  test.each([
    ["0", [0], 0],
    ["127", [127], 127],
    ["300", [0xac, 2], 300],
    ["2^49 - 1", [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], 2 ** 49 - 1],
    ["2^53 - 1", [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f], Number.MAX_SAFE_INTEGER],
    ["2^53", [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10], "9007199254740992"],
    ["-1", [...Array(9).fill(0xff), 1], -1],
    ["the least", [...Array(9).fill(0x80), 1], "-9223372036854775808"],
    ["the greatest", [...Array(8).fill(0xff), 0x7f], "9223372036854775807"],
    ["0, the long way", [0x80, 0x80, 0], 0],
  ])("%s", (_what, bytes, value) => {
    expect(read(...bytes)).toBe(value);
  });

  test("of more than ten bytes is none", () => {
    expect(() => read(...Array(10).fill(0x80), 0)).toThrow("longer than 10 bytes");
  });
});

describe("a message sent in pieces is the sum of them", () => {
  test("status, resource and scope", () => {
    const span = field(2, ...ids, field(15, field(2, "boom")), field(15, Buffer.from([3 << 3, 2])));
    const resource = (key: string) => field(1, field(1, ...keyValue(key, field(1, "v"))));
    const scope = [field(1, field(1, "lib")), field(1, field(2, "1.0"))];
    // The second piece of the resource and the scope follow the spans they belong to.
    const body = field(1, resource("a"), field(2, scope[0] as Buffer, span, scope[1] as Buffer), resource("b"));
    const [read] = readSpans({ body, contentType: "protobuf" });
    expect(read?.reading).toMatchObject({ span: { statusCode: 2, statusMessage: "boom" } });
    expect(read?.item).toMatchObject({
      scope: { name: "lib", version: "1.0" },
      resource: {
        attributes: new Map([
          ["a", "v"],
          ["b", "v"],
        ]),
      },
    });
  });

  test("lists and maps grow, anything else is replaced", () => {
    const list = (text: string) => field(5, field(1, field(1, text)));
    const map = (key: string) => field(6, field(1, ...keyValue(key, field(1, "v"))));
    const { attributes } = spanOf(
      field(9, ...keyValue("list", list("a"), list("b"))),
      field(9, ...keyValue("map", map("a"), map("b"))),
      field(9, ...keyValue("last", list("a"), field(1, "text"))),
    );
    expect(JSON.stringify([...attributes])).toBe('[["list",["a","b"]],["map",{"a":"v","b":"v"}],["last","text"]]');
  });
});

describe("one bad span", () => {
  test("costs only itself", async () => {
    const good = field(2, ...ids, field(5, "good"));
    const bad = field(2, ...ids, Buffer.from([(5 << 3) | 2, 99]));
    const body = field(1, field(2, field(1, field(1, "lib")), good, bad, good));
    const { spans, rejected, message } = await decodeTraceExport({ body, contentType: "protobuf", nowMs });
    expect([spans.map(({ name }) => name), rejected]).toEqual([["good", "good"], 1]);
    expect(message).toBe(
      '1 of 3 spans rejected: 1x span could not be decoded: a field is longer than the message around it (first: span "", scope "lib")',
    );
  });

  test("is not the same as a bad envelope, which refuses the export", async () => {
    const body = Buffer.concat([exportOf(), Buffer.from([0x0a, 99])]);
    await expect(decodeTraceExport({ body, contentType: "protobuf", nowMs })).rejects.toThrow(OtlpDecodeError);
  });
});

test("values nested deeper than 32 levels are cut there, however deep they go", async () => {
  let value = field(1, "bottom");
  for (let level = 0; level < 5000; level += 1) value = field(5, field(1, value));
  const body = exportOf(field(9, ...keyValue("deep", value)));
  const { spans, message } = await decodeTraceExport({ body, contentType: "protobuf", nowMs });
  expect(message).toContain("values nested deeper than 32 levels were truncated");
  expect(spans[0]?.metadata).toContain(`"deep":${"[".repeat(32)}"touchstone.truncated"${"]".repeat(32)}`);
});

test("an id of any length is read no further than it takes to see that it is wrong", async () => {
  const body = field(1, field(2, field(2, field(1, Buffer.alloc(1_000_000, 1)), field(2, Buffer.alloc(8, 2)))));
  const { message } = await decodeTraceExport({ body, contentType: "protobuf", nowMs });
  expect(message).toContain("traceId must be 32 hex characters");
});
