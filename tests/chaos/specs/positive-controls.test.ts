/** The audit must detect each of these faults. A fault it misses would look like reliability. */

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
