import { openDatabase } from "@touchstone/db";
import { createLogger, uuidv7 } from "@touchstone/service-kit";
import { useTestDatabase } from "@touchstone/testkit";
import { describe, expect, onTestFinished, test } from "vitest";
import { keepPartitions } from "../src/trace-store/writing/keep-partitions.ts";
import { silentLogger } from "./ingest-database.ts";
import { type RunningIngest, startIngest, until } from "./running-ingest.ts";

const database = useTestDatabase();

const dayMs = 24 * 60 * 60 * 1000;
const newProject = (): string => uuidv7(Date.now());

async function execute(...statements: string[]): Promise<void> {
  const superuser = openDatabase({
    url: database.adminUrl,
    role: new URL(database.adminUrl).username,
    applicationName: "readiness test",
    connectionsMax: 1,
    statementTimeoutMs: 10_000,
    logger: silentLogger,
  });
  for (const text of statements) await superuser.query({ name: text.slice(0, 60), text });
  await superuser.close();
}

async function readHealth(ingest: RunningIngest): Promise<{ status: number; checks: Record<string, string> }> {
  const response = await fetch(`${ingest.address}/health/ready`);
  const { checks } = (await response.json()) as { checks: Record<string, string> };
  return { status: response.status, checks };
}

describe("GET /health/ready of ingest", () => {
  test("reports a full disk while it is full, and is ready again by itself, without a restart or a write", async () => {
    const ingest = await startIngest({ databaseUrl: database.url });
    await ingest.ready();
    const projectId = newProject();
    expect((await ingest.submit(projectId, { name: "kept" })).status).toBe(201);
    await execute(
      `create function public.no_space() returns trigger language plpgsql as
       $$ begin raise exception using errcode = '53100', message = 'could not extend file'; end $$`,
      "create trigger no_space before insert on ingest.span_keys for each statement execute function public.no_space()",
      "create trigger no_space before insert on ingest.write_probe for each statement execute function public.no_space()",
    );

    const refused = await ingest.submit(projectId, { name: "lost", spanId: "1" });
    expect([refused.status, refused.headers.get("retry-after"), refused.json]).toEqual([
      503,
      "2",
      { error: "Trace storage is unavailable - the span was not stored; retry." },
    ]);
    expect(await readHealth(ingest)).toMatchObject({
      status: 503,
      checks: { writes: "the disk is full", database: "ok" },
    });
    const page = await ingest.call(projectId, "GET", "/api/v1/ingest/traces");
    expect([page.status, page.json.totalCount]).toEqual([200, 1]);

    await execute(
      "drop trigger no_space on ingest.write_probe",
      "drop trigger no_space on ingest.span_keys",
      "drop function public.no_space()",
    );
    expect(await readHealth(ingest)).toMatchObject({ status: 200, checks: { writes: "ok" } });
    expect((await ingest.submit(projectId, { name: "lost", spanId: "1" })).status).toBe(201);
    await ingest.stop();
  });

  test("reports missing partitions once the prepared ones have run out, not before", async () => {
    let nowMs = Date.parse("2026-11-20T12:00:00Z");
    let isAway = false;
    const upkeep = keepPartitions({
      partitions: {
        makeFor: async () => 0,
        makeAhead: async () => {
          if (isAway) throw new Error("not now");
          return 3;
        },
      },
      clock: { now: () => nowMs },
      logger: silentLogger,
    });
    expect(upkeep.state()).toBe("not made yet");
    await until(async () => upkeep.state() === "ok");
    isAway = true;
    nowMs += 13 * dayMs;
    expect(upkeep.state()).toBe("ok");
    nowMs += 2 * dayMs;
    await until(async () => upkeep.state() === "not now");
    upkeep.stop();
  });

  test("makes partitions at once when the clock was moved past the prepared ones", async () => {
    let nowMs = Date.parse("2026-11-20T12:00:00Z");
    const upkeep = keepPartitions({
      partitions: { makeFor: async () => 0, makeAhead: async () => 3 },
      clock: { now: () => nowMs },
      logger: silentLogger,
    });
    await until(async () => upkeep.state() === "ok");
    nowMs += 20 * dayMs;
    expect(upkeep.state()).not.toBe("ok");
    await until(async () => upkeep.state() === "ok");
    upkeep.stop();
  });
});

test("GET /metrics of ingest has every metric of its queue, of the type that is stated", async () => {
  const ingest = await startIngest({ databaseUrl: database.url });
  await ingest.ready();
  await ingest.submit(newProject(), { name: "x" });
  const text = await (await fetch(`${ingest.address}/metrics`)).text();
  const types = Object.fromEntries(
    [...text.matchAll(/^# TYPE (service_ingest_(?:queue|spans|batches)\w*) (\w+)$/gm)].map(([, name, type]) => [
      name,
      type,
    ]),
  );
  expect(types).toMatchObject({
    service_ingest_queue_depth: "gauge",
    service_ingest_queue_max_depth: "gauge",
    service_ingest_spans_total: "counter",
    service_ingest_spans_stored_total: "counter",
    service_ingest_spans_deduped_total: "counter",
    service_ingest_spans_rejected_total: "counter",
    service_ingest_spans_dropped_total: "counter",
    service_ingest_batches_total: "counter",
  });
  expect(text).toMatch(/^service_ingest_batches_total 1$/m);
  await ingest.stop();
});

describe("a clock that is wrong", () => {
  test.each([
    ["ahead of", 600_000],
    ["behind", -600_000],
  ])("by ten minutes, %s the others', is named by readiness and by one line of the log", async (side, offsetMs) => {
    const logged: string[] = [];
    const logger = createLogger({ service: "ingest", level: "error" }, { write: (line) => void logged.push(line) });
    const clock = { now: () => Date.now() + offsetMs };
    const ingest = await startIngest({ databaseUrl: database.url, clock, logger });
    onTestFinished(() => ingest.stop());
    await ingest.ready();
    const sentence = `The clock of this process is 600 s ${side} that of PostgreSQL.`;

    expect(await readHealth(ingest)).toMatchObject({ status: 503, checks: { clock: sentence, database: "ok" } });
    expect(await readHealth(ingest)).toMatchObject({ status: 503, checks: { clock: sentence } });
    expect(logged.map((line) => JSON.parse(line).clock)).toEqual([sentence]);
  });

  test("by a day, or set back two hours, or a month ahead, loses no trace and no page, and the quota's day is PostgreSQL's", async () => {
    let offsetMs = 0;
    const ingest = await startIngest({
      databaseUrl: database.url,
      config: { tracesPerDay: 7 },
      clock: { now: () => Date.now() + offsetMs },
    });
    await ingest.ready();
    const projectId = newProject();
    const names: string[] = [];
    for (const offset of [0, dayMs, -dayMs, -2 * 60 * 60 * 1000, 30 * dayMs, 0]) {
      offsetMs = offset;
      names.push(`${names.length}`);
      expect((await ingest.submit(projectId, { name: names.at(-1), spanId: names.at(-1) })).status).toBe(201);
    }
    const backfilled = await ingest.submit(projectId, { name: "old", timestamp: "2021-03-04T05:06:07Z" });
    expect(backfilled.status).toBe(201);

    const seen: string[] = [];
    let cursor = "";
    do {
      const { json } = await ingest.call(projectId, "GET", `/api/v1/ingest/traces?limit=2${cursor}`);
      expect(json.totalCount).toBe(7);
      seen.push(...json.traces.map(({ name }: { name: string }) => name));
      cursor = json.nextCursor === null ? "" : `&cursor=${json.nextCursor}`;
    } while (cursor !== "");
    expect(seen.toSorted()).toEqual([...names, "old"].toSorted());
    expect(seen.at(-1)).toBe("old");
    expect((await ingest.submit(projectId, { name: "0", spanId: "0" })).json.deduped).toBe(true);
    offsetMs = dayMs;
    expect((await ingest.submit(projectId, { name: "an eighth of PostgreSQL's day" })).status).toBe(429);
    await ingest.stop();
  });
});
