/** The audit must detect each of these faults. A fault it misses would look like reliability. */

import { rm } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { auditUnderLoad } from "../src/audited-load.ts";
import { startInstallation } from "../src/installation.ts";

test("the audit detects data loss by an ingest that acknowledges before it commits", async ({ onTestFinished }) => {
  const liar = path.join(import.meta.dirname, "../src/lying-ingest.ts");
  const system = await startInstallation({ launch: { ingest: { nodeArguments: ["--import", liar] } } });
  onTestFinished(() => system.stop());

  const report = await auditUnderLoad(system, { seed: 2, announceWithinMs: 0 }, async (load) => {
    await load.awaitAcks(60);
    await system.ingests[0]?.kill();
    await system.ingests[0]?.start();
  });

  expect(report.findings.lost).not.toEqual([]);
});

test("the audit detects data loss by a PostgreSQL that commits without waiting for its log", async ({
  onTestFinished,
}) => {
  const system = await startInstallation({
    // Only the WAL writer writes the log, ten seconds later.
    postgres: {
      settings: { synchronous_commit: "off", wal_writer_delay: "10s", wal_writer_flush_after: "1GB" },
    },
  });
  onTestFinished(() => system.stop());

  const report = await auditUnderLoad(system, { seed: 1, announceWithinMs: 0 }, async (load) => {
    // The project itself must not be lost.
    await system.postgres.query("checkpoint");
    await load.awaitAcks(60);
    await system.postgres.kill();
    await system.postgres.restart();
  });

  expect(report.findings.lost).not.toEqual([]);
});

test("the audit detects an outbox that is never swept while JetStream is wiped, and duplicates when the key that detects replays is dropped", async ({
  onTestFinished,
}) => {
  const system = await startInstallation();
  onTestFinished(() => system.stop());
  // Another session holds the lease, so no relay runs, and the former holder must not remember the lease.
  await system.ingests[0]?.kill();
  await system.postgres.query(
    `insert into ingest.leases (name, holder, expires_at) values ('relay', 'a replica that does nothing', 'infinity')
     on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at`,
  );
  await system.ingests[0]?.start();
  await system.settle();

  const report = await auditUnderLoad(system, { seed: 4, announceWithinMs: 3_000 }, async (load) => {
    await load.awaitAcks(40);
    system.nats.signal("SIGKILL");
    await system.nats.exited;
    await rm(system.nats.storeFolder, { recursive: true });
    await system.nats.restart();
    await load.awaitAcks(40);
  });

  expect(report.findings.unannounced).not.toEqual([]);
  expect([report.findings.lost, report.findings.duplicated]).toEqual([[], []]);

  // In the same system: missing announcements do not affect a check for duplicates.
  await system.postgres.query("alter table ingest.span_keys drop constraint span_keys_pkey");

  const doubled = await auditUnderLoad(system, { seed: 3, announceWithinMs: 0 }, (load) => load.awaitAcks(200));

  expect(doubled.findings.duplicated).not.toEqual([]);
});
