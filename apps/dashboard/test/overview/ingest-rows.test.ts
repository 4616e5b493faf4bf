import { expect, test } from "vitest";
import { type IngestHealth, ingestRows } from "../../src/overview/ingest-rows.ts";

const lastAt = "2026-05-04T11:00:00.000Z";
const health = (part: Partial<IngestHealth>): IngestHealth => ({
  window: "24h",
  since: lastAt,
  accepted: 0,
  refused: 0,
  refusals: [],
  rejected: 0,
  parts: [],
  hours: [],
  ...part,
});

test("a refusal has its status, a name in plain words, and what to do or the latest answer", () => {
  const rows = ingestRows(
    health({
      refusals: [
        { reason: "queue_full", status: 429, count: 7, lastAt, example: null },
        { reason: "trace_invalid", status: 422, count: 2, lastAt, example: "name: Required" },
        { reason: "of_a_newer_server" as never, status: 418, count: 1, lastAt, example: null },
      ],
      parts: [
        { items: "spans", count: 3, lastAt, example: "traceId is all zeros" },
        { items: "lines", count: 1, lastAt, example: null },
      ],
    }),
  );

  expect(rows.map(({ status, title, advice, count }) => [status, title, advice, count])).toEqual([
    [429, "The queue was full", "Senders may retry after a second. If it lasts, send less at once.", 7],
    [422, "Traces with wrong fields", "Last answer: name: Required.", 2],
    [418, "of_a_newer_server", "", 1],
    [null, "Spans that are not valid", "Last answer: traceId is all zeros. The rest of the export was stored.", 3],
    [null, "Lines of imports that are not valid", "The rest of the import was stored.", 1],
  ]);
});

test("where nothing was refused there is no row", () => {
  expect(ingestRows(health({ accepted: 12 }))).toEqual([]);
});
