import { mkdir, rmdir, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { createLargeExports } from "../../integration/src/large-exports.ts";
import { readPeakBytes } from "../../integration/src/peak-memory.ts";
import { waitUntil } from "../../integration/src/wait-until.ts";
import { auditUnderLoad } from "../src/audited-load.ts";
import { expectClean } from "../src/expect-clean.ts";
import { startInstallation } from "../src/installation.ts";
import { listFailures } from "../src/reset-at-the-door.ts";

const megabyte = 1024 * 1024;

test("row 46: an ingest with one gigabyte stores or refuses 24 concurrent exports of 16 MB, and most of its memory is free", async () => {
  const running = await startInstallation({ gateways: 1, ingests: 1 });
  const [url] = running.urls as [string];
  const gateway = running.gateways[0]?.process.pid as number;
  const ingest = running.ingests[0]?.process.pid as number;
  const group = `/sys/fs/cgroup/memory/touchstone-chaos-${process.pid}`;
  await mkdir(group);
  try {
    await writeFile(`${group}/memory.limit_in_bytes`, String(1_024 * megabyte));
    await writeFile(`${group}/cgroup.procs`, String(ingest));
    // In a project that the ledger does not contain.
    const exports = createLargeExports(url, running.apiKey, 16 * megabyte);
    const seed = 246;
    const report = await auditUnderLoad(running, { seed, payloadBytes: 1_000 }, async (load) => {
      await load.awaitAcks(20);
      const answers = await Promise.all(
        Array.from({ length: 24 }, (_export, index) =>
          exports.send({ isCompressed: index % 2 === 1, isChunked: index % 4 >= 2 }),
        ),
      );
      const stored = answers.filter(({ status }) => status === 200);
      const refused = answers.filter(({ status }) => status !== 200);
      expect(stored.length).toBeGreaterThan(0);
      expect(refused.filter(({ status, retryAfter }) => status !== 429 || retryAfter !== "1")).toEqual([]);
      await load.awaitAcks(40);
      // A client that writes a kilobyte is not affected.
      expect(listFailures(load).join("\n")).toBe("");

      const list = await fetch(`${url}/api/v1/ingest/traces?limit=1&search=large`, {
        headers: { "x-api-key": running.apiKey },
      });
      expect(await list.json()).toMatchObject({ totalCount: stored.length });
    });

    expectClean(report, { seed });
    expect(await readPeakBytes(ingest)).toBeLessThan(700 * megabyte);
    expect(await readPeakBytes(gateway)).toBeLessThan(300 * megabyte);
    expect(await running.listEnded()).toEqual([]);
  } finally {
    await running.stop();
    await waitUntil("the group is empty", () => rmdir(group).then(() => true));
  }
});
