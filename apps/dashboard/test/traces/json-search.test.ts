import { expect, test } from "vitest";
import { searchJson } from "../../src/traces/json-search.ts";

const value = {
  otel: { attributes: { "url.full": "https://x.test", tries: [1, 2, { reason: "Timeout" }] } },
  ok: true,
};

test("names and values are found in any case, each with the way to it", () => {
  expect(searchJson(value, "URL").hits).toEqual([{ path: "otel.attributes.url.full", value: "https://x.test" }]);
  expect(searchJson(value, "timeout").hits).toEqual([{ path: "otel.attributes.tries[2].reason", value: "Timeout" }]);
  expect(searchJson(value, "true").hits).toEqual([{ path: "ok", value: true }]);
  expect(searchJson(value, "nothing of it").hits).toEqual([]);
});

test("the members of a value whose name matches are found in their order", () => {
  expect(searchJson(value, "tries").hits.map(({ path }) => path)).toEqual([
    "otel.attributes.tries[0]",
    "otel.attributes.tries[1]",
    "otel.attributes.tries[2].reason",
  ]);
});

test("a search ends at its limit and says so, however much there is to search", () => {
  const many = { list: Array.from({ length: 300_000 }, (_, index) => index) };
  const { hits, isCut } = searchJson(many, "list", 50);
  expect(hits).toHaveLength(50);
  expect(isCut).toBe(true);
});
