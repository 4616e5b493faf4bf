import { limits, type TraceOutline } from "@touchstone/contracts";
import { type Call, uuidv7 } from "@touchstone/service-kit";
import { expect, test } from "vitest";
import type { OutlinedSpan, TraceStore } from "../src/trace-store/trace-store.ts";
import { getTraceOutline } from "../src/traces/routes.ts";

const projectId = uuidv7(Date.now());

/** The outline of a trace with this many spans, from a store that reads no more than requested. */
async function outlineOf(spanCount: number): Promise<TraceOutline> {
  const nothing = { input: null, output: null, cacheRead: null, cacheWrite: null };
  const spanAt = (index: number): OutlinedSpan => ({
    ...{ id: `span ${index}`, spanId: `${index}`, parentSpanId: index === 0 ? null : "0", kind: "chain", atMs: index },
    ...{ name: `span ${index}`, latencyMs: 1, hasError: false, model: null, borrowsModel: false, rating: null },
    ...{ tokens: nothing, ownTokens: nothing },
  });
  const readOutline: TraceStore["readOutline"] = async (_project, _id, spansMax) => ({
    spans: Array.from({ length: Math.min(spanCount, spansMax) }, (_, index) => spanAt(index)),
    isDeeper: false,
  });
  const handler = getTraceOutline({
    traces: { readOutline } as Partial<TraceStore> as TraceStore,
    prices: { listChanges: async () => [] } as never,
  });
  const identity = { projectId, organizationId: null } as Partial<Call["identity"]> as Call["identity"];
  const call = { params: { traceId: uuidv7(Date.now()) }, identity } as Partial<Call> as Call;
  const { body } = await handler(call);
  return body as TraceOutline;
}

test("an outline holds as many spans as its limit allows, all of them if there are no more", async () => {
  const { spanCount, truncated, spans } = await outlineOf(limits.outlineSpansMax);
  expect([spanCount, spans.length, truncated]).toEqual([limits.outlineSpansMax, limits.outlineSpansMax, false]);
});

test("an outline of a larger trace ends at the limit and reports it", async () => {
  const { spanCount, truncated, spans } = await outlineOf(limits.outlineSpansMax + 500);
  expect([spanCount, spans.length, truncated]).toEqual([limits.outlineSpansMax, limits.outlineSpansMax, true]);
  expect(spans.at(-1)?.name).toBe(`span ${limits.outlineSpansMax - 1}`);
});
