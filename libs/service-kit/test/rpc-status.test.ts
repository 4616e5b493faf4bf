import { expect, test } from "vitest";
import { encodeRpcStatus, prefersRpcStatus } from "../src/index.ts";

test("a status is field 1, the code, and field 2, the message", () => {
  expect(encodeRpcStatus(503, "retry").toString("hex")).toBe("080e12057265747279");
  expect(encodeRpcStatus(401, "é").toString("hex")).toBe("08101202c3a9");
});

test("a long message has a length of several bytes", () => {
  expect(encodeRpcStatus(429, "x".repeat(300)).subarray(0, 5).toString("hex")).toBe("080812ac02");
});

test.each([
  [{ accept: "application/x-protobuf" }, true],
  [{ accept: "application/json, application/X-Protobuf;q=0.5" }, true],
  [{ "user-agent": "OpenTelemetry Collector Contrib/0.120.0 (linux/amd64)" }, true],
  [{ "user-agent": "otelcol/0.90" }, true],
  [{ accept: "*/*", "user-agent": "OTel-OTLP-Exporter-JavaScript/0.200.0" }, false],
  [{}, false],
])("for the headers %j it is %s that a refusal is protobuf", (headers, wanted) => {
  expect(prefersRpcStatus(headers)).toBe(wanted);
});
