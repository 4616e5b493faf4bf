import { expect, test } from "vitest";
import { filtersOf, readRunsSearch, runListQueryOf } from "../../src/runs/run-filters.ts";

test("the filters of the URL go to the server, the selection does not", () => {
  const search = readRunsSearch({
    search: "1.4",
    dataset: "d1",
    subject: "refund-agent",
    source: "ci",
    status: "completed",
    from: "24h",
    to: "2026-01-02T00:00:00.000Z",
    selected: "a,b",
  });
  expect(runListQueryOf(filtersOf(search), Date.parse("2026-01-02T10:00:30.000Z"))).toEqual({
    caseStatistics: "none",
    search: "1.4",
    datasetId: "d1",
    subject: "refund-agent",
    runSource: "ci",
    status: "completed",
    from: "2026-01-01T10:00:00.000Z",
    to: "2026-01-02T00:00:00.000Z",
  });
});

test("what the URL does not say is not asked for", () => {
  expect(filtersOf(readRunsSearch({ status: "lost", search: "" }))).toEqual({});
  expect(runListQueryOf({})).toEqual({ caseStatistics: "none" });
});
