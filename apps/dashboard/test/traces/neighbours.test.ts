import { expect, test } from "vitest";
import type { ProjectApi } from "../../src/api/client.ts";
import { newerTrace } from "../../src/traces/neighbours.ts";

const startMs = Date.parse("2026-11-23T12:00:00.000Z");
const createdAt = new Date(startMs).toISOString();

/** Traces t0000, t0001 and so on, created this many milliseconds after the first; the API lists the newest first. */
function serve(...afterMs: number[]) {
  const rows = afterMs
    .map((ms, index) => ({ _id: `t${String(index).padStart(4, "0")}`, atMs: startMs + ms }))
    .reverse();
  const asked: object[] = [];
  async function GET(_path: string, { params: { query } }: { params: { query: Record<string, string> } }) {
    asked.push(query);
    const { from = "", to = "", limit, cursor } = query;
    const found = rows.filter(
      ({ _id, atMs }) => atMs >= Date.parse(from) && atMs < Date.parse(to) && (cursor === undefined || _id < cursor),
    );
    const traces = found.slice(0, Number(limit));
    const nextCursor = traces.length < found.length ? traces.at(-1)?._id : null;
    return { data: { traces, totalCount: found.length, nextCursor }, response: new Response() };
  }
  return { api: { GET } as unknown as ProjectApi, asked };
}

const every = (ms: number, count: number): number[] => Array.from({ length: count }, (_, index) => index * ms);

test("the newer trace is the next one, also when more than a page of newer ones follow at once", async () => {
  const { api } = serve(...every(300, 150));
  expect(await newerTrace(api, "t0000", createdAt)).toBe("t0001");
});

test("a newer trace is found at the beginning of a burst that comes much later", async () => {
  const { api, asked } = serve(0, ...every(2, 5_000).map((ms) => ms + 86_400_000));
  expect(await newerTrace(api, "t0000", createdAt)).toBe("t0001");
  expect(asked.length).toBeLessThan(60);
});

test("of traces that were created in the same millisecond the newer one is the next by id", async () => {
  const { api } = serve(...every(0, 350));
  expect(await newerTrace(api, "t0000", createdAt)).toBe("t0001");
  expect(await newerTrace(api, "t0120", createdAt)).toBe("t0121");
});

test("the newest trace has no newer one, and neither has one that is alone", async () => {
  expect(await newerTrace(serve(...every(0, 350)).api, "t0349", createdAt)).toBeNull();
  expect(await newerTrace(serve(0).api, "t0000", createdAt)).toBeNull();
});
