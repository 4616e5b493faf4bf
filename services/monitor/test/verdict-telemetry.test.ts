import { readHeaderList } from "@touchstone/service-kit";
import { readExport } from "@touchstone/testkit/otlp-collector";
import { describe, expect, test } from "vitest";
import { readMonitorConfig } from "../src/index.ts";
import { logsUrlOf } from "../src/model/collector-address.ts";
import { encodeVerdicts, readAnswer } from "../src/verdicts/otlp-export/encode-verdicts.ts";
import { backOff, isPassing, readRetryAfter } from "../src/verdicts/otlp-export/retry-rules.ts";
import { buildExportedVerdict } from "./builders.ts";

describe("a verdict as a log record", () => {
  test("is an evaluation of the judged span by the GenAI conventions, with further attributes that they do not define", () => {
    const verdict = buildExportedVerdict({
      otel: { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", responseId: "resp-1" },
      rating: 4.9,
      threshold: 5,
      failing: true,
    });
    expect(readExport(encodeVerdicts([verdict]))).toEqual([
      {
        resource: { "service.name": "touchstone" },
        scopeName: "touchstone.monitor",
        eventName: "gen_ai.evaluation.result",
        traceId: "0af7651916cd43dd8448eb211c80319c",
        spanId: "b7ad6b7169203331",
        atMs: Date.parse(verdict.givenAt),
        attributes: {
          "gen_ai.evaluation.name": "Tone",
          "gen_ai.evaluation.score.value": 0.49,
          "gen_ai.evaluation.score.label": "fail",
          "gen_ai.evaluation.explanation": "Ünhöflich. 🙁",
          "gen_ai.response.id": "resp-1",
          "touchstone.project_id": verdict.projectId,
          "touchstone.verdict_id": verdict.verdictId,
          "touchstone.trace_id": verdict.traceId,
          "touchstone.agent_id": verdict.agentId,
          "touchstone.scorer_kind": "judge",
          "touchstone.scorer_id": "tone",
          "touchstone.scorer_version": 3,
          "touchstone.judge_model": "gpt-5.6-luna",
          "touchstone.rating": 4.9,
          "touchstone.threshold": 5,
          "touchstone.failing": true,
        },
      },
    ]);
  });

  test("omits unknown values: a session has no span, and without a threshold nothing passes or fails", () => {
    const verdict = buildExportedVerdict({
      ...{ traceId: null, sessionId: "chat-17", agentId: null, scorerVersion: null, model: null },
      ...{ rating: 10, threshold: null, failing: null, justification: null },
    });
    const [record] = readExport(encodeVerdicts([verdict]));
    expect(record).toMatchObject({ traceId: "", spanId: "" });
    expect(record?.attributes).toEqual({
      "gen_ai.evaluation.name": "Tone",
      "gen_ai.evaluation.score.value": 1,
      "session.id": "chat-17",
      "touchstone.project_id": verdict.projectId,
      "touchstone.verdict_id": verdict.verdictId,
      "touchstone.scorer_kind": "judge",
      "touchstone.scorer_id": "tone",
      "touchstone.rating": 10,
    });
  });

  test("is one of many in one export, in their order", () => {
    const verdicts = [1, 2, 3].map((rating) => buildExportedVerdict({ rating, threshold: 2, failing: rating < 2 }));
    expect(readExport(encodeVerdicts(verdicts)).map(({ attributes }) => attributes)).toMatchObject([
      { "touchstone.rating": 1, "gen_ai.evaluation.score.value": 0.1, "gen_ai.evaluation.score.label": "fail" },
      { "touchstone.rating": 2, "gen_ai.evaluation.score.value": 0.2, "gen_ai.evaluation.score.label": "pass" },
      { "touchstone.rating": 3, "gen_ai.evaluation.score.value": 0.3 },
    ]);
  });
});

describe("a collector's answer", () => {
  test.each([429, 502, 503, 504])("with %i is sent again", (status) => expect(isPassing(status)).toBe(true));
  test.each([302, 400, 401, 404, 413, 500, 501])("with %i is final", (status) => expect(isPassing(status)).toBe(false));

  test("with 200 contains the rejected items, and an unreadable answer rejects nothing", () => {
    const partial = Uint8Array.of(0x0a, 0x06, 0x08, 0x02, 0x12, 0x02, 0x6e, 0x6f);
    expect(readAnswer(partial)).toEqual({ rejected: 2, message: "no" });
    expect(readAnswer(new Uint8Array())).toEqual({ rejected: 0, message: "" });
    expect(readAnswer(new TextEncoder().encode("{}"))).toEqual({ rejected: 0, message: "" });
  });

  const now = Date.parse("2026-11-20T09:30:00Z");
  test.each([
    [null, null],
    ["7", 7_000],
    [" 0 ", 0],
    ["Fri, 20 Nov 2026 09:31:00 GMT", 60_000],
    ["Fri, 20 Nov 2026 09:00:00 GMT", 0],
    ["86400", 3_600_000],
    ["soon", null],
  ])("asks with Retry-After %j for a pause of %j ms", (header, delayMs) => {
    expect(readRetryAfter(header, now)).toBe(delayMs);
  });

  test("is waited for longer after each failure in a row, up to a minute, and not by all alike", () => {
    expect([1, 2, 3, 7, 100].map((failures) => backOff(failures, 1))).toEqual([1_000, 2_000, 4_000, 60_000, 60_000]);
    expect([backOff(2, 0), backOff(2, 0.5)]).toEqual([1_000, 1_500]);
  });
});

describe("the collector of an installation", () => {
  test.each([
    ["http://collector:4318", "http://collector:4318/v1/logs"],
    ["https://otlp.example.com/tenant/", "https://otlp.example.com/tenant/v1/logs"],
    ["https://otlp.example.com/v1/logs", "https://otlp.example.com/v1/logs"],
    ["https://otlp.example.com/v1/logs/", "https://otlp.example.com/v1/logs"],
  ])("named %s takes records at %s", (endpoint, url) => expect(logsUrlOf(endpoint)).toBe(url));

  const needed = {
    SERVICE_DB_URL: "postgres://localhost/x",
    SERVICE_NATS_URL: "nats://localhost",
    SERVICE_INGEST_URL: "http://localhost:4702",
    SERVICE_INTERNAL_SECRET: "a root secret of the installation, long enough",
  };
  const read = (headers: string) =>
    readMonitorConfig({
      ...needed,
      SERVICE_OTLP_EXPORT_ENDPOINT: "http://collector:4318",
      SERVICE_OTLP_EXPORT_HEADERS: headers,
    }).config;

  test("is sent the headers of the setting, which are shown nowhere", () => {
    const config = read("x-api-key=k1=, Authorization=Basic%20dTpw");
    expect(readHeaderList(config.collector?.headers?.reveal() ?? "")).toEqual({
      "x-api-key": "k1=",
      authorization: "Basic dTpw",
    });
    expect(JSON.stringify(config)).not.toContain("k1");
    expect(readMonitorConfig(needed).config.collector).toBeNull();
  });

  test.each(["no-value", "a=1,=2", "a b=1", "a=%", "a=%0d%0ax: y", "a=1,,b=2", "a=b\nc", "a=%7F"])(
    "refuses the headers %j without repeating them",
    (headers) => {
      expect(() => read(headers)).toThrow("SERVICE_OTLP_EXPORT_HEADERS: must be name=value");
    },
  );

  test.each(["collector:4318", "ftp://collector", "http://u:p@collector", "http://collector/?key=1"])(
    "is no address like %s",
    (endpoint) => {
      expect(() => readMonitorConfig({ ...needed, SERVICE_OTLP_EXPORT_ENDPOINT: endpoint })).toThrow(
        "SERVICE_OTLP_EXPORT_ENDPOINT: must",
      );
    },
  );
});
