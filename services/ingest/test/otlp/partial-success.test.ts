import { describe, expect, test } from "vitest";
import { buildExport, decodeJson, type SpanSketch } from "./build-export.ts";

const zeroTrace: SpanSketch = { name: "zero", scope: "ai", more: { traceId: "0".repeat(32) } };
const shortTrace: SpanSketch = { name: "chat", scope: "ai", more: { traceId: "abc" } };

describe("the message of a partial success", () => {
  test("counts by reason and names the first span of each", async () => {
    const { message, rejected, spanCount, spans } = await decodeJson(
      buildExport(shortTrace, zeroTrace, shortTrace, {}),
    );
    expect({ rejected, spanCount, stored: spans.length }).toEqual({ rejected: 3, spanCount: 4, stored: 1 });
    expect(message).toBe(
      '3 of 4 spans rejected: 2x traceId must be 32 hex characters (first: span "chat", scope "ai"); ' +
        '1x traceId is all zeros (first: span "zero", scope "ai")',
    );
  });

  test("lists five reasons and says how many there are besides, warnings last", async () => {
    const late = { endTimeUnixNano: "1" };
    const { message } = await decodeJson(
      buildExport(
        shortTrace,
        zeroTrace,
        { more: { spanId: "abc" } },
        { more: { spanId: "0".repeat(16) } },
        { more: { events: {} } },
        { more: { links: "x" } },
        { more: late },
      ),
    );
    expect(message?.match(/\dx /g)).toHaveLength(5);
    expect(message).toMatch(/; 2 more reasons$/);
  });

  test("stays within 1,000 characters whatever names are sent", async () => {
    const name = "\u0000é".repeat(5000);
    const { message } = await decodeJson(
      buildExport(
        ...[shortTrace, zeroTrace, { more: { spanId: "abc" } }].map((sketch) => ({ ...sketch, name, scope: name })),
      ),
    );
    expect(message?.length).toBeLessThanOrEqual(1000);
    expect(message).toContain("…");
  });

  test("points at the logs path only when no span of the export looks like one", async () => {
    const noIds = { more: { traceId: "", spanId: "" } };
    expect((await decodeJson(buildExport(noIds, noIds))).message).toContain("looks like an OTLP logs payload");
    expect((await decodeJson(buildExport(noIds, {}))).message).not.toContain("logs");
    expect((await decodeJson(buildExport(noIds, shortTrace))).message).not.toContain("logs");
  });

  test("points at the logs path when the body names its logs", async () => {
    const { message, rejected } = await decodeJson(Buffer.from('{"resourceLogs":[]}'));
    expect({ message, rejected }).toEqual({
      message: "warning: no span was read; this looks like an OTLP logs payload; send it to …/v1/logs",
      rejected: 0,
    });
  });

  test("warns about a body that is no trace export at all", async () => {
    expect((await decodeJson(Buffer.from('{"spans":[]}'))).message).toContain("the body has no resourceSpans");
  });
});

describe("invalid input", () => {
  test.each([
    [{ traceId: "A".repeat(32) }, null],
    [{ traceId: "g".repeat(32) }, "traceId must be 32 hex characters"],
    [{ traceId: 7 }, "traceId must be 32 hex characters"],
    [{ traceId: null }, "traceId must be 32 hex characters"],
    [{ spanId: "Zm9vYmFyYmE=" }, "spanId must be 16 hex characters (this one looks base64)"],
    [{ startTimeUnixNano: "18446744073709551615" }, "start time is more than 24 hours ahead"],
    [{ startTimeUnixNano: 1e300 }, "start time is more than 24 hours ahead"],
    [{ startTimeUnixNano: "1795308000000000000" }, null],
    [{ startTimeUnixNano: "1795309201000000000", endTimeUnixNano: "0" }, "start time is more than 24 hours ahead"],
    [{ attributes: {} }, "attributes must be an array"],
    [{ events: "x" }, "events must be an array"],
    [{ links: 1 }, "links must be an array"],
    [{ events: [{ attributes: {} }] }, "attributes must be an array"],
    [{ attributes: null, events: null, links: null }, null],
    [{ kind: 99, status: { code: -1 } }, null],
    [{ kind: "NOPE", status: { code: "NOPE" } }, null],
    [{ status: "x" }, null],
  ])("%o -> %s", async (more, reason) => {
    const { message, rejected } = await decodeJson(buildExport({ more }));
    expect(rejected).toBe(reason === null ? 0 : 1);
    if (reason !== null) expect(message).toContain(`1x ${reason} (first:`);
  });

  test("a span that is not an object costs only itself", async () => {
    const plain = JSON.parse(buildExport({}).toString());
    plain.resourceSpans[0].scopeSpans[0].spans.push(7, null, []);
    const { rejected, spans, message } = await decodeJson(Buffer.from(JSON.stringify(plain)));
    expect({ rejected, stored: spans.length }).toEqual({ rejected: 3, stored: 1 });
    expect(message).toContain("3x span is not an object");
  });

  test.each([
    ["abcdef", "parentSpanId must be 16 hex characters", null],
    ["0000000000000000", null, null],
    ["eee19b7ec3c10000", null, null],
    ["AAAAAAAAAAAAAAAB", null, "aaaaaaaaaaaaaaab"],
    ["", null, null],
  ])("parent %s: warning %s, stored %s", async (parentSpanId, warning, stored) => {
    const { spans, message, rejected } = await decodeJson(buildExport({ more: { parentSpanId } }));
    expect({ rejected, parent: spans[0]?.parentSpanId }).toEqual({ rejected: 0, parent: stored });
    if (warning === null) expect(message).toBeNull();
    else expect(message).toContain(`warnings: 1x ${warning}`);
  });

  test("an end far ahead of the clock leaves the span unfinished", async () => {
    const { spans, message } = await decodeJson(buildExport({ more: { endTimeUnixNano: "18446744073709551615" } }));
    expect(spans[0]).toMatchObject({ endedAtMs: null, latencyMs: null });
    expect(message).toContain("end time is more than 24 hours ahead");
  });
});
