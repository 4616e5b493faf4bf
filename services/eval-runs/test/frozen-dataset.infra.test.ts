import { openDatabase } from "@touchstone/db";
import { buildResult } from "@touchstone/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createProjectClient } from "./project-client.ts";
import { quiet } from "./start-eval-runs.ts";
import { startTestSystem, type TestSystem } from "./test-system.ts";

let system: TestSystem;

beforeEach(async () => {
  system = await startTestSystem();
});

afterEach(() => system.stop());

describe("a dataset that is edited after a run was created", () => {
  test("changes nothing for the run, and everything for the next one", async () => {
    const judge = await system.startJudge();
    const client = createProjectClient((await system.startService()).address);
    const question = (query: string) => ({ main_question: { query, expectedResults: "e" } });
    const before = { name: "n", acceptanceCriteria: "old", questions: [question("old question")] };
    const datasetId = await client.createDataset(before);
    const earlier = await client.createRun(datasetId);
    await publishVersion(datasetId, { ...before, acceptanceCriteria: "new", questions: [question("new question")] });
    const later = await client.createRun(datasetId);

    for (const runId of [earlier, later]) await client.submit(runId, [buildResult()]);

    expect(judge.asked.map((asked) => asked.judges[0]?.acceptanceCriteria)).toEqual(["old", "new"]);
    expect((await client.readRun(earlier)).results[0].questionText).toBe("old question");
    expect((await client.readRun(later)).results[0].questionText).toBe("new question");
  });

  /** What editing a dataset does; there is no route for it yet. */
  async function publishVersion(datasetId: string, document: object): Promise<void> {
    const admin = openDatabase({
      url: system.database.adminUrl,
      role: new URL(system.database.adminUrl).username,
      applicationName: "test",
      connectionsMax: 1,
      statementTimeoutMs: 5_000,
      logger: quiet,
    });
    system.cleanups.defer(() => admin.close());
    await admin.query({
      name: "test_publish_version",
      text: `
        with edited as (
          update evals.datasets
          set version = version + 1
          where id = $1
          returning *
        )
        insert into evals.dataset_versions (project_id, dataset_id, version, document, created_at)
        select project_id, id, version, $2, now()
        from edited`,
      values: [datasetId, JSON.stringify({ numberOfRequests: 1, ...document })],
    });
  }
});
