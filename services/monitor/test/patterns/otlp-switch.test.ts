import { expect, test } from "vitest";
import { createPatternsCheck } from "../../src/patterns/patterns-check.ts";
import { buildSettledTrace } from "../builders.ts";

const asksNobody = new Proxy(
  {},
  {
    get() {
      throw new Error("it asked");
    },
  },
) as never;

function plan(watchesOtlp: boolean, named: { otelTraceId?: string }): Promise<unknown> {
  const others = {
    patterns: asksNobody,
    ingest: asksNobody,
    findings: asksNobody,
    matcher: asksNobody,
    bus: asksNobody,
    budget: asksNobody,
  };
  const check = createPatternsCheck({ ...others, logger: asksNobody, watchesOtlp });
  return check.plan(buildSettledTrace(named), asksNobody);
}

test("SERVICE_OTEL_MONITOR=false skips patterns for traces from OTLP, and for no others", async () => {
  const named = { otelTraceId: "a".repeat(32) };
  expect(await plan(false, named)).toEqual([]);
  await expect(plan(false, {})).rejects.toThrow("it asked");
  await expect(plan(true, named)).rejects.toThrow("it asked");
});
