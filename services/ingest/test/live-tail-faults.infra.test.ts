import { randomBytes } from "node:crypto";
import { type Database, openDatabase } from "@touchstone/db";
import { createLogger, uuidv7 } from "@touchstone/service-kit";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type EventReader, readEvents } from "./event-reader.ts";
import { silentLogger } from "./ingest-database.ts";
import { buildExport } from "./otlp/build-export.ts";
import { until, useIngest } from "./running-ingest.ts";

let admin: Database;
let readers: EventReader[] = [];
let logged: string[] = [];
const logger = createLogger({ service: "ingest", level: "warn" }, { write: (line) => logged.push(line) });
const { database, ingest } = useIngest({ logger });

beforeAll(() => {
  admin = openDatabase({
    url: database.adminUrl,
    role: new URL(database.adminUrl).username,
    applicationName: "tail test",
    connectionsMax: 1,
    statementTimeoutMs: 5_000,
    standstillMaxMs: 60_000,
    logger: silentLogger,
  });
});

afterEach(async () => {
  await Promise.all(readers.map((reader) => reader.close()));
  readers = [];
  logged = [];
});

afterAll(async () => {
  await admin.close();
});

const newProject = (): string => uuidv7(Date.now());
const namesOf = ({ events }: EventReader): string[] => events.map(({ data }) => data.name);

async function follow(projectId: string, query = ""): Promise<EventReader> {
  const reader = await readEvents(ingest, projectId, { query });
  readers.push(reader);
  return reader;
}

test("a project whose reads wait for a lock delays neither its own previews nor the traces of others", async () => {
  const [busy, other] = [newProject(), newProject()];
  const [previews, traces] = [await follow(busy, "?view=preview"), await follow(other)];
  const heldReads = async (): Promise<number> => {
    const held = /^service_share_held\{service="ingest",resource="lists_reads"\} (\d+)$/m;
    return Number(held.exec(await ingest.metrics.metrics())?.[1]);
  };
  const medium = { contentType: "image/png", contentLength: 1, sha256: randomBytes(32).toString("base64") };
  const { json } = await ingest.call(busy, "POST", "/api/v1/media", { body: JSON.stringify(medium) });
  // A lock on a table would hold the tail back.
  await admin.query({
    name: "",
    text: `
      create function ingest.wait_for_turn() returns boolean language plpgsql as $$
      begin
        perform pg_advisory_lock_shared(4711);
        return pg_advisory_unlock_shared(4711);
      end $$`,
  });
  await admin.query({
    name: "",
    text: `
      create policy slow on ingest.media as restrictive for select to touchstone_ingest_app
      using (ingest.wait_for_turn())`,
  });
  let isOver = false;
  let reading: Promise<unknown> = Promise.resolve();
  await admin.transaction(async (transaction) => {
    await transaction.query({ name: "", text: "select pg_advisory_xact_lock(4711)" });
    // More than the share of the project, and again when they are refused.
    const readOn = async (): Promise<void> => {
      while (!isOver) await ingest.call(busy, "GET", `/api/v1/media/${json.id}`);
    };
    reading = Promise.all(Array.from({ length: 32 }, readOn));
    try {
      await until(async () => (await heldReads()) >= 8);

      const body = buildExport({ root: true, name: "of the busy one" });
      expect((await ingest.call(busy, "POST", "/api/v1/otel/v1/traces", { body })).status).toBe(200);
      await until(async () => previews.events.length > 0);
      await ingest.submit(other, { name: "of the other" });
      await until(async () => traces.events.length > 0);
      // Without a refusal, which it would get at the end of the line.
      expect(logged.filter((line) => line.includes("live tail"))).toEqual([]);
    } finally {
      isOver = true;
    }
  });
  await reading;

  expect([namesOf(previews), namesOf(traces)]).toEqual([["of the busy one"], ["of the other"]]);
});

test("the streams of a deleted project end, and other projects receive their traces", async () => {
  const [deleted, other] = [newProject(), newProject()];
  const [gone, traces] = [await follow(deleted), await follow(other)];
  const text = "insert into ingest.deleted_projects (project_id) values ($1)";
  await admin.query({ name: "", text, values: [deleted] });

  for (const name of ["first", "second"]) await ingest.submit(other, { name });
  await until(async () => traces.events.length === 2);
  await gone.ended;

  expect([namesOf(gone), namesOf(traces)]).toEqual([[], ["first", "second"]]);
});
