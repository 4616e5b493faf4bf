import { buildDataset } from "@touchstone/testkit";
import { expect, test } from "vitest";
import { type CiClient, createCiClient } from "./ci-client.ts";
import { rate } from "./fake-judge.ts";
import type { HttpAnswer } from "./project-client.ts";
import { type Moment, replaceVersion } from "./replace-version.ts";
import { useFakeIngest, useJudge, useService, useTestSystem } from "./test-system.ts";

const system = useTestSystem();
const judge = useJudge(system);
const ingest = useFakeIngest(system);
const running = useService(system, { ingest });

type Send = (client: CiClient, datasetId: string) => Promise<HttpAnswer>;

const createRun: Send = (client, datasetId) => client.send("POST", "/runs", { datasetId });
const createCiRun: Send = (client, datasetId) => client.ask("/ci-runs", { dataset_id: datasetId });
const evaluateTrace: Send = (client, datasetId) =>
  client.ask(`/traces/${ingest.record(client.projectId, {})}/evaluate`, { datasetId });

test.each<[string, Moment, number, Send]>([
  ["a run whose version is replaced before it was read", "read", 201, createRun],
  ["a run whose version is replaced before it is stored", "store", 201, createRun],
  ["a CI run whose version is replaced before it is stored", "store", 201, createCiRun],
  ["the verdict on a trace by a version that is replaced before it was read", "read", 200, evaluateTrace],
  ["the verdict on a trace by a version that is replaced before it is stored", "store", 200, evaluateTrace],
])("%s uses the next version", async (_, moment, status, send) => {
  judge.behave(() => rate(8));
  const client = createCiClient(running.address);
  const datasetId = await client.createDataset(buildDataset({ ci: { enabled: true } }));

  const replaced = { projectId: client.projectId, datasetId, moment };
  const answer = await replaceVersion(system, replaced, () => send(client, datasetId));

  expect(answer).toMatchObject({ status });
  const { runs } = (await client.send("GET", `/runs?datasetId=${datasetId}`)).body;
  expect(runs).toMatchObject([{ datasetVersion: 2 }]);
});
