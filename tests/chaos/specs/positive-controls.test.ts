/** The audit must detect each of these faults. A fault it misses would look like reliability. */

import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { auditUnderLoad } from "../src/audited-load.ts";
import { type Installation, type InstallationOptions, startInstallation } from "../src/installation.ts";

let installation: Installation | undefined;

async function start(options: InstallationOptions = {}): Promise<Installation> {
  installation = await startInstallation(options);
  return installation;
}

afterEach(async () => {
  await installation?.stop();
  installation = undefined;
});

test("the audit detects data loss by an ingest that acknowledges before it commits", async () => {
  const liar = path.join(import.meta.dirname, "../src/lying-ingest.ts");
  const system = await start({ launch: { ingest: { nodeArguments: ["--import", liar] } } });

  const report = await auditUnderLoad(system, { seed: 2, announceWithinMs: 0 }, async (load) => {
    await load.awaitAcks(60);
    await system.ingests[0]?.kill();
    await system.ingests[0]?.start();
  });

  expect(report.findings.lost).not.toEqual([]);
});
