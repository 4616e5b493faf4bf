import { runProgress } from "@touchstone/contracts";
import { buildDataset, buildResult } from "@touchstone/testkit";
import { beforeEach, expect, test } from "vitest";
import { createProjectClient, type ProjectClient } from "./project-client.ts";
import { openStream } from "./read-events.ts";
import { useJudge, useService, useTestSystem } from "./test-system.ts";

let client: ProjectClient;
let runId: string;

const system = useTestSystem();
useJudge(system);
const running = useService(system);

beforeEach(async () => {
  client = createProjectClient(running.address);
  runId = await client.createRun(await client.createDataset(buildDataset()));
});

const pathOf = (run: string) => `/api/v1/custom-agent-evaluations/runs/${run}/stream`;

test("a stream tells the state at once, every change of it, and ends with the run", async () => {
  const stream = await openStream(running.address, client.projectId, pathOf(runId));
  const first = await stream.next();
  expect(first).toMatchObject({ event: "progress", data: { runId, status: "in_progress", resultCount: 0 } });
  expect(runProgress.safeParse(first.data).error).toBeUndefined();

  await client.submit(runId, [buildResult(), buildResult()]);
  expect((await stream.next()).data).toMatchObject({ resultCount: 2, averageRating: 7 });

  await client.finalize(runId);
  expect(await stream.next()).toMatchObject({ event: "end", data: { status: "completed", resultCount: 2 } });
  expect(await stream.ended()).toBe(true);
});

test("a stream of another replica tells the same", async () => {
  const other = await system.startService();
  const stream = await openStream(other.address, client.projectId, pathOf(runId));
  await stream.next();
  await client.submit(runId, [buildResult()]);
  expect((await stream.next()).data).toMatchObject({ resultCount: 1 });
  await stream.close();
});

test("a reader that connects after the end receives it, and the stream of a deleted run is closed", async () => {
  const ended = await client.createRun(await client.createDataset(buildDataset()));
  await client.finalize(ended);
  const late = await openStream(running.address, client.projectId, pathOf(ended));
  expect(await late.next()).toMatchObject({ event: "end", data: { status: "completed" } });

  const stream = await openStream(running.address, client.projectId, pathOf(runId));
  await stream.next();
  await client.send("DELETE", `/runs/${runId}`);
  expect(await stream.ended()).toBe(true);
});

test("a project has 20 streams here, and a place again when one is closed", async () => {
  const streams = await Promise.all(
    Array.from({ length: 20 }, () => openStream(running.address, client.projectId, pathOf(runId))),
  );
  const refused = await client.sendTo("GET", pathOf(runId));
  expect(refused).toMatchObject({ status: 429, body: { statusCode: 429 } });
  expect(refused.headers.get("retry-after")).toBe("5");
  const others = createProjectClient(running.address);
  const own = await others.createRun(await others.createDataset(buildDataset()));
  await (await openStream(running.address, others.projectId, pathOf(own))).close();

  await streams[0]?.close();
  const again = await openStream(running.address, client.projectId, pathOf(runId), { patientMs: 5_000 });
  expect((await again.next()).event).toBe("progress");
  await Promise.all([again, ...streams].map((stream) => stream.close()));
});

test("only the project's own runs are followed", async () => {
  expect(await createProjectClient(running.address).sendTo("GET", pathOf(runId))).toMatchObject({
    status: 404,
    body: { error: "Run not found" },
  });
  expect(await client.sendTo("GET", pathOf("none"))).toMatchObject({ status: 404 });
});
