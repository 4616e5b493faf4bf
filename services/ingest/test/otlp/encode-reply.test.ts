import { describe, expect, test } from "vitest";
import {
  encodeLogsExportResponse,
  encodeMetricsExportResponse,
  encodeStatus,
  encodeTraceExportResponse,
  grpcCodeOf,
  wantsProtobufStatus,
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
  ])("names what was rejected in JSON, as text (%#)", (encode, name) => {
    expect(JSON.parse(encode({ ...partial, contentType: "json" }).body.toString())).toEqual({
      partialSuccess: { [name]: "300", errorMessage: partial.message },
    });
  });
});

describe("an error for protobuf clients", () => {
  test("is a google.rpc.Status as the reference reads it", () => {
    const status = lookUpMessage("Status");
    expect(status.toObject(status.decode(encodeStatus(grpcCodeOf(413), "zu groß")))).toEqual({
      code: 8,
      message: "zu groß",
    });
  });

  test.each([
    [400, 3],
    [401, 16],
    [403, 7],
    [413, 8],
    [415, 3],
    [429, 8],
    [500, 13],
    [503, 14],
  ])("maps status %i to code %i", (httpStatus, code) => {
    expect(grpcCodeOf(httpStatus)).toBe(code);
  });

  test.each([
    [{ accept: "application/x-protobuf" }, true],
    [{ accept: "application/json, Application/X-Protobuf;q=0.9" }, true],
    [{ userAgent: "OpenTelemetry Collector Contrib/0.155.0 (linux/amd64)" }, true],
    [{ userAgent: "otelcol/0.155.0" }, true],
    [{ accept: "*/*" }, false],
    [{ accept: "application/json" }, false],
    [{ userAgent: "OTel-OTLP-Exporter-JavaScript/0.223.1" }, false],
    [{ userAgent: "curl otelcol" }, false],
    [{}, false],
  ])("is sent to %o: %s", (headers, wanted) => {
    expect(wantsProtobufStatus(headers)).toBe(wanted);
  });
});
