import { type ScriptedLlm, startScriptedLlm } from "@touchstone/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { basic } from "../../integration/src/langfuse-clients.ts";
import { auditUnderLoad } from "../src/audited-load.ts";
import { expectClean } from "../src/expect-clean.ts";
import { namedResults, numbered, oneRowEach, openGrading } from "../src/graded-run.ts";
import { type Installation, type ServiceSlot, startInstallation, thisRepository } from "../src/installation.ts";
import { becomes, listMigrations, type PreviousRelease, unpackPreviousRelease } from "../src/previous-release.ts";
import { expectOnlyResets, noteResets } from "../src/reset-at-the-door.ts";
import { startScoringLoad } from "../src/scoring-load.ts";

let llm: ScriptedLlm;
/** All its processes first run the previous release on the previous release's schema. */
let system: Installation;
let previous: PreviousRelease;

beforeAll(async () => {
  llm = await startScriptedLlm();
  llm.answerWith({ kind: "verdict", rating: 8 });
  previous = await unpackPreviousRelease();
  system = await startInstallation({
    ...{ gateways: 2, ingests: 2, evalRuns: 2, judges: 2, dropins: 2 },
    settings: { OPENAI_BASE_URL: llm.baseUrl, OPENAI_API_KEY: "sk-scripted" },
    repository: previous.folder,
  });
});

afterAll(async () => {
  await system?.stop();
  await previous?.remove();
  await llm?.stop();
});

async function readMigrations(): Promise<string[]> {
  const { rows } = await system.postgres.query<{ name: string }>("select name from ingest.migrations order by name");
  return rows.map(({ name }) => name);
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
    reset.push(...(await noteResets(first, load, () => becomes(system, first, thisRepository))));
    expect(await readMigrations()).toEqual(today);
    await load.awaitAcks(60);
    // From here on, the audit included, only the old code uses the new schema.
    for (const slot of [first, second]) {
      reset.push(...(await noteResets(slot, load, () => becomes(system, slot, previous.folder))));
    }
    await load.awaitAcks(60);
    expectOnlyResets(load, reset, 3);
  });
  expectClean(report, { seed });
});

/** Asks dropin as Langfuse's clients do, until stopped, which returns the answers that were no success. */
function askAsLangfuseClient({ urls, apiKey }: Pick<Installation, "urls" | "apiKey">) {
  let isOver = false;
  const failures: string[] = [];
  const asking = (async () => {
    while (!isOver) {
      const answer = await fetch(`${urls[0]}/api/public/projects`, { headers: { authorization: basic(apiKey) } });
      const text = await answer.text();
      if (!answer.ok) failures.push(`${answer.status} ${text}`);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await asking;
      return failures;
    },
  };
}

test("row 43: a rolling upgrade of all seven services from the previous release fails no request and loses nothing", async () => {
  const { monitor, judges, ingests, evalRuns, dropins, gateways, auth } = system;
  const grading = openGrading(system);
  const scoring = startScoringLoad(grading, 2);
  const langfuse = askAsLangfuseClient(system);
  const seed = 543;
  const report = await auditUnderLoad(system, { seed }, async (load) => {
    const reset: string[] = [];
    let stops = 0;
    const upgrade = async (slots: readonly ServiceSlot[], awaitMore = async () => {}): Promise<void> => {
      for (const slot of slots) {
        // Of the others, one replica runs the old code on the new schema while the other one is upgraded.
        const goesBack = slot === monitor || slot === auth;
        for (const repository of goesBack ? [thisRepository, previous.folder, thisRepository] : [thisRepository]) {
          await load.awaitAcks(20);
          await awaitMore();
          reset.push(...(await noteResets(slot, load, () => becomes(system, slot, repository))));
          stops += 1;
        }
      }
    };
    await upgrade([monitor, ...judges, ...ingests, ...evalRuns, ...dropins], () => scoring.awaitBatches(2));
    // These clients know one gateway; the writers of traces know both.
    expect(await langfuse.stop()).toEqual([]);
    for (const { run, names, failures } of await scoring.stop()) {
      expect(failures).toEqual([]);
      expect(await run.countRows()).toEqual(oneRowEach(names));
    }
    await upgrade([...gateways, auth]);
    await load.awaitAcks(20);
    expectOnlyResets(load, reset, stops);
  });
  expectClean(report, { seed });

  const run = await grading.startRun();
  const { status, body } = await run.submit(namedResults(numbered("upgraded", 3)));
  expect([status, body.scoredResults.map(({ rating }) => rating)]).toEqual([200, [8, 8, 8]]);
});
