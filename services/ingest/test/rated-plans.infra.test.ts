import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import type { RootFilter } from "../src/model/root-filter.ts";
import { buildRootList, type RootRecord } from "../src/trace-store/reading/root-list.ts";
import { countRowsRead, useIngestDatabase } from "./ingest-database.ts";
import { anyRoot } from "./trace-store-contract.ts";

const database = useIngestDatabase();
const [projectId, foreign] = [randomUUID(), randomUUID()];
const rootCount = 1_000;

beforeAll(async () => {
  await database.maintenance.query({ name: "", text: "select ingest.make_spans_partition(now()::date)" });
  for (const owner of [projectId, foreign]) {
    await database.maintenance.query({
      name: "",
      text: `
        with roots as (
          insert into ingest.spans (project_id, id, is_root, created_at, name, kind, has_error, latency_ms, body)
          select $1, uuidv7(), true, now(), 'a', 'agent', n % 100 = 0, n, '\\x007b226c656e67746873223a5b5d7d'
          from generate_series(1, $2::integer) n
          returning id, latency_ms
        )
        insert into ingest.trace_verdicts (project_id, trace_id, revision, judge_scores, failure)
        select $1, id, 1, json_build_object('rating', latency_ms / 100, 'failingCount', (latency_ms::integer % 50 = 1)::integer)::text,
               case when latency_ms::integer % 50 = 1 then 'agent-tool-failure:search' end
        from roots
        where latency_ms::integer % 2 = 1`,
      values: [owner, rootCount],
    });
  }
});

test.each<[Partial<RootFilter>, number]>([
  [{ ratingMax: 1 }, 50],
  [{ ratingMin: 9.5 }, 25],
  [{ isFailing: true }, 30],
  [{ isFailing: false }, 970],
  [{ latencyMinMs: 990 }, 11],
  [{ isToolFailing: true }, 20],
])("%j reads each root and each verdict twice at most, before any statistics", async (filter, total) => {
  await database.app.scoped([projectId], async (transaction) => {
    const before = await countRowsRead(transaction);
    const query = { projectId, limit: 10, before: null, ...anyRoot, ...filter };
    const { rows } = await transaction.query<RootRecord>(buildRootList(query, "all", null));
    const read = (await countRowsRead(transaction)) - before;

    expect(Number(rows[0]?.total)).toBe(total);
    expect(rows).toHaveLength(11);
    // Of the project, and of its neighbour where a partition is gone through as a whole.
    expect(read).toBeLessThan(2 * 2 * (rootCount + rootCount / 2) + 500);
  });
});
