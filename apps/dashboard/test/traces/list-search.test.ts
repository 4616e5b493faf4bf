import { describe, expect, test } from "vitest";
import { filterChips } from "../../src/traces/filter-chips.ts";
import {
  filterOf,
  listQueryOf,
  outcomeFilter,
  outcomeOf,
  readTracesSearch,
  withoutFilters,
} from "../../src/traces/list-search.ts";
import { toIso, toLocalInput } from "../../src/traces/local-moment.ts";

const now = Date.parse("2026-11-23T12:34:56.789Z");

describe("the search of the list", () => {
  test("ignores what it cannot read", () => {
    expect(readTracesSearch({ source: "moon", slow: "soon", error: "perhaps", agent: "", other: "x" })).toEqual({});
  });

  test("keeps columns and panel when the filters are cleared", () => {
    const search = readTracesSearch({ search: "refund", error: "true", cols: "time,input", peek: "7", paused: "true" });
    expect(withoutFilters(search)).toEqual({ cols: ["time", "input"], peek: "7", paused: true });
  });

  test("narrows by its filters only", () => {
    expect(filterOf(readTracesSearch({ model: "gpt", peek: "7", cols: "time" }))).toEqual({ model: "gpt" });
  });
});

describe("the question to the API", () => {
  test("names every filter as the API does", () => {
    const filter = filterOf(
      readTracesSearch({
        search: "a b",
        agent: "1",
        framework: "f",
        source: "eval",
        error: "true",
        session: "s",
        slow: "4200",
        usedModel: "gpt",
        noModel: "true",
        prompt: "p",
        promptVersion: "2",
      }),
    );
    expect(listQueryOf(filter, now)).toEqual({
      search: "a b",
      agentId: "1",
      framework: "f",
      source: "eval",
      hasError: "true",
      sessionId: "s",
      latencyMinMs: "4200",
      usedModel: "gpt",
      hasModel: "false",
      promptName: "p",
      promptVersion: "2",
    });
  });

  test("begins a window at a whole minute", () => {
    expect(listQueryOf({ from: "24h" }, now)).toEqual({ from: "2026-11-22T12:34:00.000Z" });
  });

  test("passes a moment on as it is", () => {
    const range = { from: "2026-11-01T00:00:00.000Z", to: "2026-11-02T00:00:00.000Z" };
    expect(listQueryOf(range, now)).toEqual(range);
  });
});

test.each([
  ["failing", { failing: "true" }],
  ["passing", { failing: "false", ratingMin: "0" }],
  ["rated", { ratingMin: "0" }],
  ["tool", { toolFailing: "true" }],
])("the rating %s is asked for by its bounds", (rating, query) => {
  expect(listQueryOf(filterOf(readTracesSearch({ rating })), now)).toEqual(query);
});

test.each(["failing", "error", "passing", "rated", undefined] as const)(
  "the outcome %s survives the URL",
  (outcome) => {
    const { error, rating } = outcomeFilter(outcome);
    expect(outcomeOf({ ...(error && { error }), ...(rating && { rating }) })).toBe(outcome);
  },
);

test("chips name what is set, agents by their name", () => {
  const prompt = { prompt: "greeting", promptVersion: "2" };
  const chips = filterChips(
    { agent: "7", error: true, from: "7d", slow: 4200, search: "x", usedModel: "gpt", noModel: true, ...prompt },
    () => "refund-agent",
  );
  expect(chips.map(({ text }) => text)).toEqual([
    "Agent refund-agent",
    "Used gpt",
    "No model named",
    "Ended in an error",
    "Last 7 days",
    "Prompt greeting, version 2",
    "4.20 s or longer",
  ]);
});

test("a moment survives its input, to the minute", () => {
  const iso = "2026-11-23T12:34:00.000Z";
  expect(toIso(toLocalInput(iso))).toBe(iso);
  expect(toLocalInput("24h")).toBe("");
  expect(toIso("")).toBeUndefined();
});

test("the longest filters fit into the head of a request, which has 16 KiB, with room for its headers", () => {
  const wide = (characters: number): string => "語".repeat(characters);
  const filter = readTracesSearch({
    search: wide(200),
    agent: "00000000-0000-7000-8000-000000000001",
    model: wide(512),
    framework: wide(64),
    source: "production",
    from: "2026-05-04T11:00:00.000Z",
    to: "2026-05-04T12:00:00.000Z",
    rating: "failing",
    session: wide(512),
    slow: 12_345.678,
  });

  const { length } = new URLSearchParams(listQueryOf(filterOf(filter))).toString();
  expect([length > 11 * 1024, length < 13 * 1024]).toEqual([true, true]);
});
