import { type SettledTrace, type StoredTrace, tracesSettled, tracesStored } from "@touchstone/contracts";
import { expect, test } from "vitest";
import type { IncomingSpan } from "../src/model/span.ts";
import { useIngestDatabase } from "./ingest-database.ts";
import { newProject, otlp, passTime, readAnnounced, readRoots, spanId, storeJob } from "./settling-bench.ts";
import { buildJob } from "./span-builders.ts";

const quietSeconds = 10;

const database = useIngestDatabase({
  spansMax: 40,
  orphanGraceMs: 100_000,
  staleDelayMs: 0,
  settleDelayMs: quietSeconds * 1_000,
  openDelayMs: 1_000_000,
});

const insert = async (projectId: string, ...spans: Partial<IncomingSpan>[]) =>
  storeJob(database, await buildJob(projectId, spans));
const pass = (seconds: number): Promise<void> => passTime(database, seconds);
const settled = (projectId: string) => readAnnounced<SettledTrace>(database, projectId, tracesSettled);

test("many orphans with many failed tools are announced in parts that the bus takes", async () => {
  const projectId = newProject();
  const names = Array.from({ length: 50 }, (_, at) => `${at}`.padEnd(2_000, "x"));
  const toolCalls = JSON.stringify(names.map((name) => ({ name, success: false })));
  const orphans = Array.from({ length: 30 }, (_, at) => ({ parentSpanId: `never ${at}`, toolCalls }));
  await insert(projectId, ...orphans);
  await pass(100);

  expect(await settled(projectId)).toHaveLength(orphans.length);
  const { rows } = await database.maintenance.query<{ bytes: number }>({
    name: "largest_event",
    text: "select max(octet_length(body::text)) as bytes from ingest.outbox",
  });
  expect(rows[0]?.bytes).toBeLessThan(1.2 * 1024 * 1024);
});

test.each([
  ["OpenTelemetry", otlp(2, 1)],
  ["REST", { parentSpanId: "never" }],
])("an orphan of %s that was imported is not monitored when it is promoted", async (_, orphan) => {
  const projectId = newProject();
  const [id] = await storeJob(database, await buildJob(projectId, [orphan], { monitor: false }));
  await pass(100);
  await pass(quietSeconds);
  expect(await readAnnounced<StoredTrace>(database, projectId, tracesStored)).toMatchObject([
    { traceId: id, monitor: false },
  ]);
  expect(await settled(projectId)).toEqual([]);
});

test.each([
  ["OpenTelemetry", { ...otlp(2, 1), parentSpanId: spanId(9) }],
  ["REST", { parentSpanId: "never" }],
])(
  "an orphan of %s that cannot be promoted delays no other project's, and is promoted later",
  async (_producer, orphan) => {
    const [broken, sound] = [newProject(), newProject()];
    for (const projectId of [broken, sound]) await insert(projectId, orphan);
    const run = (text: string) => database.superuser.query({ name: "", text });
    await run(`
    create or replace function ingest.refuse_change() returns trigger language plpgsql as
    $$ begin raise exception 'this row cannot be changed'; end $$`);
    await run(`
    create trigger refuse before update on ingest.spans for each row
    when (new.project_id = '${broken}') execute function ingest.refuse_change()`);
    const namesOf = async (projectId: string) => (await readRoots(database, projectId)).map(({ name }) => name);
    try {
      await pass(100);
      await pass(quietSeconds);
      expect([await namesOf(broken), await namesOf(sound)]).toEqual([[], ["weather agent"]]);
      expect([await settled(broken), await settled(sound)]).toMatchObject([[], [{ name: "weather agent" }]]);
    } finally {
      await run("drop trigger refuse on ingest.spans");
    }

    await pass(60);
    expect(await namesOf(broken)).toEqual(["weather agent"]);
  },
);
