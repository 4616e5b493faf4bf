import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { afterEach, expect, test } from "vitest";
import { audit } from "../src/audit.ts";
import { auditUnderLoad } from "../src/audited-load.ts";
import { archiveUntilNow, makeLogArchive, takeBaseBackup } from "../src/base-backup.ts";
import { expectClean } from "../src/expect-clean.ts";
import { createHttpClient } from "../src/http-client.ts";
import { type Installation, startInstallation } from "../src/installation.ts";
import { freezeLedger } from "../src/ledger.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(options: Parameters<typeof startInstallation>[0]): Promise<Installation> {
  const installation = await startInstallation(options);
  cleanups.push(() => installation.stop());
  return installation;
}

test("row 50: a base backup under load and the archived log start a second system with all acknowledged data", async () => {
  const archive = await makeLogArchive();
  cleanups.push(() => archive.remove());
  // The files to keep besides the database.
  const settings = { SERVICE_INTERNAL_SECRET: randomBytes(32).toString("base64url") };
  const first = await start({ settings, postgres: { settings: archive.settings } });
  const seed = 450;
  const report = await auditUnderLoad(first, { seed }, async (load) => {
    await load.awaitAcks(60);
    const backup = await takeBaseBackup(first.postgres);
    cleanups.push(() => rm(backup, { recursive: true, force: true }));
    await load.awaitAcks(60);
    const promised = freezeLedger(load.ledger);
    await archiveUntilNow(first.postgres);
    await load.awaitAcks(20);
    await load.stopWriting();

    const second = await start({ settings, postgres: { backup, settings: archive.restoreSettings } });
    const client = createHttpClient({ urls: second.urls, apiKey: load.apiKey });
    cleanups.push(() => client.close());
    const restored = await audit({
      ledger: promised(),
      client,
      countAnnounced: () => second.countAnnounced(load.projectId),
    });
    expectClean(restored, { seed, ackedMin: 120 });
    const { totalCount } = (await client.read<{ totalCount: number }>("/ingest/traces?limit=1")) ?? {};
    const { rows } = await second.postgres.query<{ used: number }>(
      "select sum(n)::int as used from ingest.trace_usage where project_id = $1",
      [load.projectId],
    );
    expect(rows).toEqual([{ used: totalCount }]);

    expectClean(await auditUnderLoad(second, { seed: seed + 1 }, (more) => more.awaitAcks(60)), { seed: seed + 1 });
  });
  expectClean(report, { seed });
});
