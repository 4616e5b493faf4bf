import { expect, test } from "vitest";
import { auditUnderLoad } from "../src/audited-load.ts";
import { expectClean } from "../src/expect-clean.ts";
import { startInstallation } from "../src/installation.ts";
import { expectOnlyResets, noteResets } from "../src/reset-at-the-door.ts";

test("row 42: replicas that are stopped one after the other under load refuse no request and exit with 0", async () => {
  const system = await startInstallation({ gateways: 2, ingests: 2 });
  const seed = 142;
  const codes: (number | null)[] = [];
  const reset: string[] = [];
  try {
    const report = await auditUnderLoad(system, { seed }, async (load) => {
      for (const replica of [...system.ingests, ...system.gateways]) {
        await load.awaitAcks(20);
        const restart = async () => {
          codes.push(await replica.stop());
          await replica.start();
          // Like a rolling update: the next one stops when this one is ready again.
          await system.settle();
        };
        reset.push(...(await noteResets(replica, load, restart)));
      }
      expectOnlyResets(load, reset, codes.length);
    });

    expectClean(report, { seed });
    expect(codes).toEqual([0, 0, 0, 0]);
  } finally {
    await system.stop();
  }
});
