import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { auditUnderLoad } from "../src/audited-load.ts";
import { expectClean } from "../src/expect-clean.ts";
import { type Installation, startInstallation } from "../src/installation.ts";

const kills = process.env.TOUCHSTONE_LONG_TESTS === "1" ? 500 : 100;
let system: Installation;

beforeAll(async () => {
  system = await startInstallation({ hasNatsCluster: true });
});

afterAll(() => system?.stop());

test(`three nats-servers of a cluster are killed ${kills} times, one, two or all at once: every event arrives, once`, async () => {
  const seed = 315;
  const report = await auditUnderLoad(system, { seed, writers: 2, announceWithinMs: 300_000 }, async (load) => {
    for (let killed = 0; killed < kills; ) {
      const count = load.random.integer(1, system.natsServers.length);
      const first = load.random.integer(0, system.natsServers.length - 1);
      const victims = [...system.natsServers, ...system.natsServers].slice(first, first + count);
      for (const victim of victims) victim.signal("SIGKILL");
      await Promise.all(victims.map(({ exited }) => exited));
      await sleep(load.random.integer(0, 2_000));
      await Promise.all(victims.map((victim) => victim.restart()));
      // Sometimes the cluster has time to elect a leader, and sometimes the next kill meets the election.
      await sleep(load.random.pick([0, 500, 8_000]));
      killed += count;
    }
    await load.awaitAcks(20);
  });

  expectClean(report, { seed });
  expect(await system.listEnded()).toEqual([]);
});
