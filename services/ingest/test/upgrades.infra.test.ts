import { randomUUID } from "node:crypto";
import { copyFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { migrateSchema } from "@touchstone/db";
import { createTestDatabase } from "@touchstone/testkit";
import { expect, onTestFinished, test } from "vitest";
import { removeUnnamedMedia } from "../src/media/unnamed-media-store.ts";
import { ingestSchema } from "../src/schema.ts";
import { openPools, silentLogger } from "./ingest-database.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** A database whose schema is that before a migration, named by its number. */
async function openBefore(migration: string) {
  const directory = await mkdtemp(path.join(tmpdir(), "touchstone-migrations-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const names = (await readdir(ingestSchema.directory)).filter((name) => name < migration);
  await Promise.all(names.map((name) => copyFile(path.join(ingestSchema.directory, name), path.join(directory, name))));
  const database = await createTestDatabase();
  await migrateSchema({ url: database.url, ...ingestSchema, directory, logger: silentLogger });
  const { app, maintenance } = openPools(database.url);
  onTestFinished(async () => {
    await Promise.all([app.close(), maintenance.close()]);
    await database.drop();
  });
  return {
    maintenance,
    async insert(table: string, text: string) {
      await maintenance.query({ name: "", text: `insert into ${table} ${text}` });
    },
    async read(text: string) {
      return (await maintenance.query({ name: "", text })).rows;
    },
    upgrade: () => migrateSchema({ url: database.url, ...ingestSchema, logger: silentLogger }),
  };
}

test("traces whose log records a previous release removed go with the upgrade, and so do their media", async () => {
  const { maintenance, insert, read, upgrade } = await openBefore("0024");
  const projectId = randomUUID();
  const [gone, kept] = [randomUUID(), randomUUID()];
  for (const key of [gone, kept]) {
    await insert("ingest.traces (project_id, trace_key, span_count)", `values ('${projectId}', '${key}', 0)`);
    const link = `values ('${projectId}', '${key}', replace('${key}', '-', ''), '', '', now())`;
    await insert("ingest.media_links (project_id, media_id, trace_key, span_id, field, created_at)", link);
    const medium = `values ('${projectId}', '${key}', '', 'image/png', 1, now())`;
    await insert("ingest.media (project_id, id, sha256, content_type, content_length, created_at)", medium);
  }
  const record = `values ('${projectId}', '${kept}', '${kept}', 0, '{}', '')`;
  await insert("ingest.log_fragments (project_id, dk, trace_key, time_nano, facts, body)", record);

  await upgrade();
  await removeUnnamedMedia(maintenance, new Date(Date.now() + dayMs), () => true);

  expect(await read("select trace_key from ingest.traces")).toEqual([{ trace_key: kept }]);
  expect(await read("select id from ingest.media")).toEqual([{ id: kept }]);
});

test("of the texts that a previous release stored twice for a trace, the upgrade keeps the newer one", async () => {
  const { insert, read, upgrade } = await openBefore("0028");
  const [projectId, other] = [randomUUID(), randomUUID()];
  const [twice, once] = [randomUUID(), randomUUID()];
  for (const [project, id, doc] of [
    [projectId, twice, "old"],
    [projectId, once, "only"],
    [other, twice, "of another project"],
    [projectId, twice, "new"],
  ]) {
    await insert("ingest.search_docs (project_id, id, doc)", `values ('${project}', '${id}', '${doc}')`);
  }

  await upgrade();

  const docs = await read("select doc from ingest.search_docs order by seq");
  expect(docs).toEqual([{ doc: "only" }, { doc: "of another project" }, { doc: "new" }]);
});
