import { gate, runList } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import { buildDataset, buildResult } from "@touchstone/testkit";
import { beforeAll, expect, test } from "vitest";
import { rate } from "./fake-judge.ts";
import { createProjectClient, type ProjectClient } from "./project-client.ts";
import { useJudge, useService, useTestSystem } from "./test-system.ts";

let database: Database;

const system = useTestSystem();
const judge = useJudge(system);

beforeAll(() => {
  judge.behave(() => rate(7));
});

const running = useService(system);

beforeAll(() => {
  database = system.open("app");
});

async function makeRun(client: ProjectClient, datasetId: string): Promise<string> {
  const runId = await client.createRun(datasetId);
  await client.submit(runId, [buildResult()]);
  await client.finalize(runId);
  return runId;
}

/** Gives a run an id as a client's experiment has it: a hash, here greater than all ids that begin with the time. */
async function renameRun(client: ProjectClient, runId: string): Promise<string> {
  const id = `f0${runId.slice(2, 14)}8${runId.slice(15)}`;
  const copy = (table: string, key: string, changed: string) => `
    insert into evals.${table}
    select (jsonb_populate_record(null::evals.${table}, to_jsonb(${table}) || jsonb_build_object(${changed}))).*
    from evals.${table}
    where project_id = $1
      and ${key} = $2`;
  const values = [client.projectId, runId, id];
  for (const text of [
    copy("runs", "id", "'id', $3::uuid"),
    copy("results", "run_id", "'id', gen_random_uuid(), 'run_id', $3::uuid"),
  ]) {
    await database.scoped([client.projectId], (transaction) => transaction.query({ name: "", text, values }));
  }
  expect((await client.send("DELETE", `/runs/${runId}`)).status).toBe(200);
  return id;
}

test("the order of runs is that of time, also if an id is a hash: in lists, of baselines and of the newest run", async () => {
  const client = createProjectClient(running.address);
  const datasetId = await client.createDataset(buildDataset());
  const first = await makeRun(client, datasetId);
  const hashed = await renameRun(client, await makeRun(client, datasetId));
  const last = await makeRun(client, datasetId);

  const listed: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page = runList.parse((await client.send("GET", `/runs?limit=1&cursor=${cursor}`)).body);
    listed.push(...page.runs.map(({ _id }) => _id));
    cursor = page.nextCursor;
  }
  expect(listed).toEqual([last, hashed, first]);

  const baselineOf = async (runId: string) =>
    gate.parse((await client.send("GET", `/runs/${runId}/gate?noRegression=true`)).body).baselineRunId;
  expect(await baselineOf(last)).toBe(hashed);
  expect(await baselineOf(hashed)).toBe(first);
  const preview = `/api/v1/evaluate/ci/gates/preview?datasetId=${datasetId}&failUnder=5`;
  expect(gate.parse((await client.sendTo("GET", preview)).body).runId).toBe(last);
  const [dataset] = (await client.send("GET", "/datasets?view=summary")).body.datasets;
  expect(dataset.lastRunAt).toBe((await client.readRun(last)).createdAt);
});

test.each(["begins with the time", "is a hash"])("a page continues after a deleted run whose id %s", async (kind) => {
  const client = createProjectClient(running.address);
  const datasetId = await client.createDataset(buildDataset());
  const [first, made] = [await makeRun(client, datasetId), await makeRun(client, datasetId)];
  const second = kind === "is a hash" ? await renameRun(client, made) : made;
  const page = runList.parse((await client.send("GET", "/runs?limit=1")).body);
  expect(page.nextCursor).toContain(second);
  await client.send("DELETE", `/runs/${second}`);
  const next = runList.parse((await client.send("GET", `/runs?cursor=${page.nextCursor}`)).body);
  expect(next.runs.map(({ _id }) => _id)).toEqual([first]);
});
