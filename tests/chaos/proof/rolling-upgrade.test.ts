import { afterAll, beforeAll, expect, test } from "vitest";
import { auditUnderLoad } from "../src/audited-load.ts";
import { expectClean } from "../src/expect-clean.ts";
import { type Installation, type ServiceSlot, startInstallation, thisRepository } from "../src/installation.ts";
import { listMigrations, type PreviousRelease, unpackPreviousRelease } from "../src/previous-release.ts";
import { expectOnlyResets, noteResets } from "../src/reset-at-the-door.ts";

/** All its processes first run the previous release on the previous release's schema. */
let system: Installation;
let previous: PreviousRelease;

beforeAll(async () => {
  previous = await unpackPreviousRelease();
  system = await startInstallation({ gateways: 2, ingests: 2, repository: previous.folder });
});

afterAll(async () => {
  await system?.stop();
  await previous?.remove();
});

async function readMigrations(): Promise<string[]> {
  const { rows } = await system.postgres.query<{ name: string }>("select name from ingest.migrations order by name");
  return rows.map(({ name }) => name);
}

async function becomes(slot: ServiceSlot, repository: string): Promise<void> {
  expect(await slot.stop()).toBe(0);
  await slot.start(repository);
  await system.settle();
}

test("row 43: the previous release stores and reads on the schema of this one, and can be started on it", async () => {
  const [first, second] = system.ingests as [ServiceSlot, ServiceSlot];
  const old = await previous.listMigrations("ingest");
  const today = await listMigrations(thisRepository, "ingest");
  expect(await readMigrations()).toEqual(old);
  expect(today.slice(0, old.length), "a released migration is never changed or renamed").toEqual(old);

  const seed = 443;
  const report = await auditUnderLoad(system, { seed }, async (load) => {
    const reset: string[] = [];
    await load.awaitAcks(60);
    reset.push(...(await noteResets(first, load, () => becomes(first, thisRepository))));
    expect(await readMigrations()).toEqual(today);
    await load.awaitAcks(60);
    // From here on, the audit included, only the old code uses the new schema.
    for (const slot of [first, second]) {
      reset.push(...(await noteResets(slot, load, () => becomes(slot, previous.folder))));
    }
    await load.awaitAcks(60);
    expectOnlyResets(load, reset, 3);
  });
  expectClean(report, { seed });
});

test("row 43: a rolling upgrade from the previous release fails no request and loses nothing", async () => {
  const slots = [system.monitor, ...system.ingests, ...system.gateways, system.auth];
  const seed = 543;
  const report = await auditUnderLoad(system, { seed }, async (load) => {
    const reset: string[] = [];
    for (const slot of slots) {
      await load.awaitAcks(20);
      reset.push(...(await noteResets(slot, load, () => becomes(slot, thisRepository))));
    }
    await load.awaitAcks(20);
    expectOnlyResets(load, reset, slots.length);
  });
  expectClean(report, { seed });
});
