import { expect, test } from "vitest";
import { deriveTrace, deriveTraceInSlices } from "../../src/assembly/derive-trace.ts";
import type { TreeSpan } from "../../src/assembly/tree.ts";
import { toTokenList } from "../../src/model/token-list.ts";

test("a large trace is derived with a pause after each few hundred spans, to the same values", () => {
  const spans = Array.from(
    { length: 20_000 },
    (_, index): TreeSpan => ({
      ...{ id: `s${index}`, spanId: `s${index}`, parentSpanId: index === 0 ? null : `s${index % 100}` },
      ...{ parentIsRemote: false, isPromoted: false, kind: index % 2 === 0 ? "llm" : "tool" },
      ...{ startedAtMs: (index * 7_919) % 20_000, endedAtMs: null, ownTokens: toTokenList([1]), responseId: null },
      facts: { name: `s${index}`, model: `m${index % 70}`, toolCallId: `c${index % 9_000}` },
    }),
  );
  const work = deriveTraceInSlices(spans, []);
  let pauses = 0;
  let step = work.next();
  for (; step.done !== true; step = work.next()) pauses += 1;

  expect(pauses).toBeGreaterThan(400);
  expect(step.value).toEqual(deriveTrace(spans.toReversed(), []));
});
