import { describe, expect, test } from "vitest";
import {
  encodeLogsExportResponse,
  encodeMetricsExportResponse,
  encodeTraceExportResponse,
} from "../../src/otlp/encode-reply.ts";
import { lookUpMessage } from "./reference-decoder.ts";

const success = { rejected: 0, message: null };
const partial = { rejected: 300, message: "300 of 512 spans rejected: …" };

describe("the reply to an export", () => {
  test("is empty on full success, in the encoding of the request", () => {
    expect(encodeTraceExportResponse({ ...success, contentType: "protobuf" })).toEqual({
      contentType: "application/x-protobuf",
      body: Buffer.alloc(0),
    });
    expect(encodeTraceExportResponse({ ...success, contentType: "json" })).toEqual({
      contentType: "application/json",
      body: Buffer.from("{}"),
    });
  });

  test("carries count and reason in protobuf as the reference reads them", () => {
    const { body } = encodeTraceExportResponse({ ...partial, contentType: "protobuf" });
    const reply = lookUpMessage("ExportTraceServiceResponse");
    expect(reply.toObject(reply.decode(body), { longs: Number })).toEqual({
      partialSuccess: { rejectedSpans: 300, errorMessage: partial.message },
    });
  });

  test("carries a warning with nothing rejected", () => {
    const { body } = encodeTraceExportResponse({ rejected: 0, message: "w", contentType: "protobuf" });
    const reply = lookUpMessage("ExportTraceServiceResponse");
    expect(reply.toObject(reply.decode(body))).toEqual({ partialSuccess: { errorMessage: "w" } });
  });

  test.each([
    [encodeTraceExportResponse, "rejectedSpans"],
    [encodeLogsExportResponse, "rejectedLogRecords"],
    [encodeMetricsExportResponse, "rejectedDataPoints"],
  ])("names the rejected items in JSON, as text (%#)", (encode, name) => {
    expect(JSON.parse(encode({ ...partial, contentType: "json" }).body.toString())).toEqual({
      partialSuccess: { [name]: "300", errorMessage: partial.message },
    });
  });
});
