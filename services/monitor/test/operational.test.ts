import { expect, test } from "vitest";
import { classifyOperationally } from "../src/traces/classify.ts";

const fine = { failedTools: [], hasError: false, isOutputEmpty: false };

test.each([
  [{}, "healthy-response", []],
  [{ isOutputEmpty: true }, "empty-agent-response", ["empty-agent-response"]],
  [{ hasError: true }, "agent-trace-error", ["agent-trace-error"]],
  [{ hasError: true, isOutputEmpty: true }, "agent-trace-error", ["agent-trace-error"]],
  [{ failedTools: ["search"] }, "agent-tool-failure:search", ["agent-tool-failure:search"]],
  [
    { failedTools: ["search", "pay", "search"], hasError: true },
    "agent-tool-failure:search",
    ["agent-tool-failure:search", "agent-tool-failure:pay"],
  ],
])("a trace with %j is %s", (facts, name, events) => {
  const found = classifyOperationally({ ...fine, ...facts });

  expect(found.name).toBe(name);
  expect(found.events.map(({ patternKey }) => patternKey)).toEqual(events);
});
