import { afterAll, beforeAll, test } from "vitest";
import { auditUnderLoad } from "../src/audited-load.ts";
import { expectClean } from "../src/expect-clean.ts";
import { type StandaloneSystem, startStandaloneSystem } from "../src/standalone-system.ts";

let standalone: StandaloneSystem;

beforeAll(async () => {
  standalone = await startStandaloneSystem();
});

afterAll(async () => {
  await standalone?.stop();
});

test("row 5: a standalone killed with all it runs has each acknowledged trace once when it is started again", async () => {
  const seed = 405;
  const report = await auditUnderLoad(standalone, { seed }, async (load) => {
    await load.awaitAcks(100);
    await standalone.killEverything();
    await standalone.start();
    await load.awaitAcks(50);
  });

  expectClean(report, { seed });
});

test("row 6: a standalone whose PostgreSQL is killed starts it again, and nothing acknowledged is lost", async () => {
  const seed = 406;
  const report = await auditUnderLoad(standalone, { seed }, async (load) => {
    await load.awaitAcks(60);
    await standalone.killPostgres();
    await load.awaitAcks(80);
  });

  expectClean(report, { seed });
});
