import { tracesJudged } from "@touchstone/contracts";
import { uuidv7 } from "@touchstone/service-kit";
import { beforeAll, describe, expect, test } from "vitest";
import { createVerdictStore } from "../src/judging/verdict-store.ts";
import { buildRootHistogram } from "../src/trace-store/reading/root-histogram.ts";
import { countRowsRead } from "./ingest-database.ts";
import { useIngest } from "./running-ingest.ts";
import { anyRoot } from "./trace-store-contract.ts";

const { ingest, pools } = useIngest();

interface Bucket {
  start: string;
  count: number;
  errors: number;
}

const newProject = (): string => uuidv7(Date.now());
const read = (projectId: string, query: Record<string, string> = {}) =>
  ingest.call(projectId, "GET", `/api/v1/ingest/traces/histogram?${new URLSearchParams(query)}`);
const filled = ({ buckets }: { buckets: Bucket[] }) => buckets.filter(({ count, errors }) => count > 0 || errors > 0);

async function submit(projectId: string, trace: object): Promise<string> {
  const { status, json } = await ingest.submit(projectId, trace);
  expect(status).toBe(201);
  return json.trace_id;
}

const hourMs = 3_600_000;
/** Midnight UTC some days ago. */
const dayStart = (Math.floor(Date.now() / (24 * hourMs)) - 5) * 24 * hourMs;
const at = (hours: number): string => new Date(dayStart + hours * hourMs).toISOString();

describe("the histogram", () => {
  const [projectId, foreign] = [newProject(), newProject()];
  let agentId: string;

  beforeAll(async () => {
    const traces = [
      { name: "weather", input: "alike", timestamp: at(1), model: "m1", framework: "crew", latency_ms: 10 },
      { name: "weather", input: "alike", timestamp: at(1.9), session_id: "s", error: "no" },
      { name: "weather", input: "alike", timestamp: at(2), source: "eval-run", latency_ms: 5_000 },
      { name: "refund", input: "alike", timestamp: at(10), source: "eval-run", error: "no" },
      { name: "refund", input: "alike", timestamp: at(23.5), latency_ms: 20 },
    ];
    for (const owner of [projectId, foreign]) {
      const ids: string[] = [];
      for (const trace of traces) ids.push(await submit(owner, trace));
      await submit(owner, { name: "a child", parent_span_id: "p", spanId: "c", timestamp: at(1) });
      const rated = owner === projectId ? { traceId: ids[4], rating: 2 } : { traceId: ids[0], rating: 1 };
      const judgeScores = {
        rating: rated.rating,
        threshold: 5,
        scorerName: "Tone",
        judgeCount: 1,
        failingCount: 1,
        verdicts: [],
      };
      await createVerdictStore(pools.maintenance).keep(
        tracesJudged.body.parse({
          traces: [{ projectId: owner, traceId: rated.traceId, revision: 1, judgeScores, topic: null }],
        }).traces,
      );
    }
    const { json } = await ingest.call(projectId, "GET", "/api/v1/ingest/traces?view=preview&search=weather");
    agentId = json.traces[0].agentId;
  });

  test("counts roots and errors in round buckets between from and to", async () => {
    const { status, json } = await read(projectId, { from: at(0), to: at(24) });
    expect(status).toBe(200);
    expect(json).toMatchObject({ from: at(0), to: at(24), bucketMs: hourMs / 2 });
    expect(json.buckets).toHaveLength(48);
    expect(json.buckets[0]).toEqual({ start: at(0), count: 0, errors: 0 });
    expect(filled(json)).toEqual([
      { start: at(1), count: 1, errors: 0 },
      { start: at(1.5), count: 1, errors: 1 },
      { start: at(2), count: 1, errors: 0 },
      { start: at(10), count: 1, errors: 1 },
      { start: at(23.5), count: 1, errors: 0 },
    ]);
  });

  test("leaves out traces created before from, and from to on, even within a bucket", async () => {
    const { json } = await read(projectId, { from: at(1.1), to: at(23.4) });
    expect(filled(json).map(({ start }) => start)).toEqual([at(1.5), at(2), at(10)]);
    expect(json.buckets[0].start).toBe(at(1));
  });

  test.each<[Record<string, string>, [string, number, number][]]>([
    [
      { source: "production" },
      [
        ["1", 1, 0],
        ["1.5", 1, 1],
        ["23.5", 1, 0],
      ],
    ],
    [
      { source: "eval" },
      [
        ["2", 1, 0],
        ["10", 1, 1],
      ],
    ],
    [
      { hasError: "true" },
      [
        ["1.5", 1, 1],
        ["10", 1, 1],
      ],
    ],
    [
      { hasError: "false", source: "production" },
      [
        ["1", 1, 0],
        ["23.5", 1, 0],
      ],
    ],
    [{ framework: "Crew" }, [["1", 1, 0]]],
    [{ model: "m1" }, [["1", 1, 0]]],
    [{ sessionId: "s" }, [["1.5", 1, 1]]],
    [
      { latencyMinMs: "20" },
      [
        ["2", 1, 0],
        ["23.5", 1, 0],
      ],
    ],
    [{ ratingMax: "2" }, [["23.5", 1, 0]]],
    [
      { failing: "true" },
      [
        ["1.5", 1, 1],
        ["10", 1, 1],
        ["23.5", 1, 0],
      ],
    ],
    [
      { failing: "false" },
      [
        ["1", 1, 0],
        ["2", 1, 0],
      ],
    ],
    [{ agentId: "this is no id" }, []],
    [{ model: "another" }, []],
  ])("%j counts the same as the list, also within a search", async (query, expected) => {
    for (const search of [{}, { search: "ALIKE" }]) {
      const filter = { ...query, ...search, from: at(0), to: at(24) };
      const { json } = await read(projectId, filter);
      expect(filled(json)).toEqual(
        expected.map(([hours, count, errors]) => ({ start: at(Number(hours)), count, errors })),
      );
      const { json: listed } = await ingest.call(
        projectId,
        "GET",
        `/api/v1/ingest/traces?${new URLSearchParams(filter)}`,
      );
      expect(listed.totalCount).toBe(expected.length);
    }
  });

  test("of an agent counts that agent's", async () => {
    const { json } = await read(projectId, { agentId, from: at(0), to: at(24) });
    expect(filled(json)).toHaveLength(3);
    expect(filled((await read(foreign, { agentId, from: at(0), to: at(24) })).json)).toEqual([]);
  });

  test("without from and to covers the project from its oldest trace until now", async () => {
    const before = Date.now();
    const { json } = await read(projectId);
    expect(json.from).toBe(at(1));
    expect(Date.parse(json.to)).toBeGreaterThanOrEqual(before);
    expect(filled(json).reduce((sum, { count }) => sum + count, 0)).toBe(5);
  });

  test("of a project without a trace is an hour of empty buckets", async () => {
    const { json } = await read(newProject());
    expect(Date.parse(json.to) - Date.parse(json.from)).toBe(hourMs);
    expect(filled(json)).toEqual([]);
    expect(json.buckets.length).toBeGreaterThan(59);
  });

  test("of a stretch that ends before it begins has no bucket", async () => {
    expect((await read(projectId, { from: at(2), to: at(1) })).json.buckets).toEqual([]);
  });

  test("bounds times that no trace can have", async () => {
    const { status, json } = await read(projectId, { from: "-271821-04-20", to: "+275760-09-13" });
    expect([status, json.from]).toEqual([200, "1970-01-01T00:00:00.000Z"]);
    expect(json.buckets.length).toBeLessThan(62);
    expect(filled(json).reduce((sum, { count }) => sum + count, 0)).toBe(5);
  });

  test.each([{ from: "yesterday" }, { to: "1" }, { hasError: "perhaps" }, { ratingMin: "high" }])(
    "%j is refused",
    async (query) => {
      expect((await read(projectId, query as Record<string, string>)).status).toBe(400);
    },
  );
});

test.each([{}, { source: "production" as const }, { source: "eval" as const }, { isFailing: false }])(
  "%j reads each root a bounded number of times, before any statistics",
  async (filter) => {
    const projectId = newProject();
    const rootCount = 2_000;
    await pools.maintenance.query({
      name: "",
      text: `
        insert into ingest.spans (project_id, id, is_root, created_at, name, kind, has_error, source, body)
        select $1, uuidv7(), true, now(), 'a', 'agent', n % 100 = 0, case when n % 5 = 0 then 'eval-run' end, '\\x007b226c656e67746873223a5b5d7d'
        from generate_series(1, $2::integer) n`,
      values: [projectId, rootCount],
    });
    await pools.app.scoped([projectId], async (transaction) => {
      const before = await countRowsRead(transaction);
      const range = { fromMs: Date.now() - hourMs, toMs: Date.now() + hourMs, bucketMs: hourMs };
      await transaction.query(buildRootHistogram({ projectId, ...anyRoot, ...range, ...filter }, null));
      // Of the project, and of its neighbours in the same partition where that is gone through as a whole.
      expect((await countRowsRead(transaction)) - before).toBeLessThan(4 * 4 * rootCount);
    });
  },
);
