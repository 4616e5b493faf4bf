import { cp, lchown, lstat, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { waitUntil } from "../../integration/src/wait-until.ts";
import { auditUnderLoad } from "../src/audited-load.ts";
import { expectClean } from "../src/expect-clean.ts";
import { type Installation, startInstallation } from "../src/installation.ts";
import { createRandom } from "../src/random.ts";

let system: Installation;

beforeAll(async () => {
  system = await startInstallation({ ingests: 4 });
});

afterAll(async () => {
  await system?.stop();
});

test("row 43: replicas that migrate concurrently, one of them killed halfway, leave one complete schema", async () => {
  const migrations = await readdir(path.resolve(import.meta.dirname, "../../../services/ingest/migrations"));
  const random = createRandom(243);
  for (let round = 0; round < 2; round += 1) {
    await Promise.all(system.ingests.map((ingest) => ingest.kill()));
    await system.postgres.query("drop schema ingest cascade");
    const [victim, ...others] = system.ingests;
    // The process is live before it has migrated: the kill hits the migration or just misses it.
    const killed = victim?.start().then(async () => {
      await sleep(random.integer(0, 300));
      await victim.kill();
    });
    await Promise.all([killed, ...others.map((ingest) => ingest.start())]);
    await victim?.start();
    await system.settle();

    const { rows } = await system.postgres.query<{ name: string }>("select name from ingest.migrations order by name");
    expect(rows.map(({ name }) => name)).toEqual(migrations.filter((name) => name.endsWith(".sql")).sort());
  }
  const seed = 343;
  expectClean(await auditUnderLoad(system, { seed }, (load) => load.awaitAcks(100)), { seed });
});

test("row 50: a database that is reset to an older copy has the data of that time, once, and accepts the rest again", async () => {
  const seed = 250;
  const report = await auditUnderLoad(system, { seed }, async (load) => {
    await load.awaitAcks(120);
    await load.stopWriting();
    await awaitEmptyOutbox();
    const copy = await copyRunningDatabase();
    const late = await Promise.all(Array.from({ length: 10 }, (_, index) => submit(`late-${index}`)));
    // NATS is not emptied, as a restore prescribes: an event that it still had to deliver would announce a trace that is gone.
    await awaitEmptyOutbox();
    await setBackTo(copy);
    await system.settle();

    const again = await Promise.all(Array.from({ length: 10 }, (_, index) => submit(`late-${index}`)));
    expect(again.filter((id) => late.includes(id))).toEqual([]);

    async function submit(spanId: string): Promise<string> {
      const answer = await load.client.send("POST", "/ingest/traces", JSON.stringify({ name: spanId, spanId }));
      expect(answer?.status).toBe(201);
      return JSON.parse(answer?.text ?? "{}").trace_id;
    }
  });

  // The late traces were sent again after the reset: ten, and each once.
  const { ghosts, ...others } = report.findings;
  expect(ghosts.sort()).toEqual(Array.from({ length: 10 }, (_, index) => `late-${index} was never sent`));
  expect(Object.values(others).flat()).toEqual([]);
  expect(report.acked).toBeGreaterThanOrEqual(80);
});

/** A row stays in the outbox until every consumer has acknowledged its event. */
async function awaitEmptyOutbox(): Promise<void> {
  await waitUntil("every event is acknowledged", async () => {
    const { rows } = await system.postgres.query("select from ingest.outbox limit 1");
    return rows.length === 0;
  });
}

/**
 * An online base backup, as pg_basebackup makes one: files copied while they change, then the log that repairs them.
 */
async function copyRunningDatabase(): Promise<string> {
  const { dataFolder } = system.postgres;
  const copy = await mkdtemp(path.join(tmpdir(), "touchstone-chaos-copy-"));
  const session = await system.postgres.connect();
  try {
    await session.query("select pg_backup_start('copy', true)");
    await cp(dataFolder, copy, { recursive: true, filter: (file) => path.basename(file) !== "postmaster.pid" });
    const { rows } = await session.query<{ labelfile: string }>("select labelfile from pg_backup_stop(false)");
    await cp(path.join(dataFolder, "pg_wal"), path.join(copy, "pg_wal"), { recursive: true, force: true });
    await writeFile(path.join(copy, "backup_label"), rows[0]?.labelfile ?? "");
  } finally {
    await session.end();
  }
  return copy;
}

async function setBackTo(copy: string): Promise<void> {
  const { dataFolder } = system.postgres;
  const { uid, gid } = await lstat(path.join(dataFolder, "PG_VERSION"));
  await system.postgres.kill();
  for (const name of await readdir(dataFolder)) await rm(path.join(dataFolder, name), { recursive: true });
  await cp(copy, dataFolder, { recursive: true });
  for (const name of await readdir(dataFolder, { recursive: true }))
    await lchown(path.join(dataFolder, name), uid, gid);
  await rm(copy, { recursive: true });
  await system.postgres.restart();
  expect(await readFile(system.postgres.logFile, "utf8")).toContain("consistent recovery state reached");
}
