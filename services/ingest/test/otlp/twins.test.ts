import { describe, expect, test } from "vitest";
import { decodeTraceExport } from "../../src/otlp/decode-trace-export.ts";
import { listCaptures, nowMs, readCapture, readFixture } from "./corpus.ts";
import { decodeReference, encodeReference } from "./reference-decoder.ts";

const traces = listCaptures().filter(({ signal }) => signal === "traces");
const conventions = (JSON.parse(readFixture("_conventions/manifest.json").toString()).files as { file: string }[]).map(
  ({ file }) => `_conventions/${file}`,
);

describe("the same export in JSON and in protobuf gives identical rows", () => {
  test.each(traces)("$name", async (capture) => {
    const body = await readCapture(capture);
    const isJson = capture.contentType === "json";
    const json = isJson ? body : Buffer.from(JSON.stringify(decodeReference(body)));
    const protobuf = isJson ? encodeReference(JSON.parse(body.toString())) : body;

    const fromProtobuf = await decodeTraceExport({ body: protobuf, contentType: "protobuf", nowMs });
    expect(await decodeTraceExport({ body: json, contentType: "json", nowMs })).toEqual(fromProtobuf);
  });

  test.each(conventions)("%s", async (file) => {
    const json = readFixture(file);
    const protobuf = encodeReference(JSON.parse(json.toString()));

    const fromProtobuf = await decodeTraceExport({ body: protobuf, contentType: "protobuf", nowMs });
    expect(await decodeTraceExport({ body: json, contentType: "json", nowMs })).toEqual(fromProtobuf);
  });

  test("pretty-printed, with a byte order mark and members in another order", async () => {
    const plain = JSON.parse(readFixture("_conventions/genkit.json").toString());
    const [entry] = plain.resourceSpans;
    const [scopeEntry] = entry.scopeSpans;
    const turned = {
      unknown: { deep: [1, { two: "]}" }] },
      resourceSpans: [
        {
          scopeSpans: [{ spans: scopeEntry.spans, scope: scopeEntry.scope }],
          resource: entry.resource,
          schemaUrl: "x",
        },
      ],
    };
    const body = Buffer.from(`\ufeff${JSON.stringify(turned, null, "\t")}\r\n`);

    const expected = await decodeTraceExport({ body: Buffer.from(JSON.stringify(plain)), contentType: "json", nowMs });
    expect(await decodeTraceExport({ body, contentType: "json", nowMs })).toEqual(expected);
  });
});
