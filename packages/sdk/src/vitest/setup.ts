import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { readRun, Touchstone } from "../client.ts";
import { createRun } from "../evaluate.ts";
import { EvaluationRun, findRunUrl } from "../evaluation-run.ts";
import type { RunRequest, SharedRun } from "./shared-run.ts";

const runs = new Map<string, Promise<SharedRun>>();
let server: Server | null = null;

/** For `globalSetup` of Vitest: creates a run for each dataset that tests name, for all workers, and ends it after them. */
export async function setup(project: TestProject): Promise<void> {
  const secretPath = `/${randomUUID()}`;
  const started = createServer((request, response) => {
    if (request.url !== secretPath) return void response.writeHead(404).end();
    answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end(error instanceof Error ? error.message : String(error));
    });
  });
  await new Promise<void>((resolve, reject) => {
    started.once("error", reject);
    started.listen(0, "127.0.0.1", resolve);
  });
  started.unref();
  server = started;
  project.provide("touchstoneRuns", `http://127.0.0.1:${(started.address() as AddressInfo).port}${secretPath}`);
  // In watch mode each round is a run.
  project.onTestsRerun(endRuns);
}

export async function teardown(): Promise<void> {
  await endRuns();
  server?.close();
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const key = Buffer.concat(chunks).toString("utf8");
  let run = runs.get(key);
  if (run === undefined) {
    run = openRun(JSON.parse(key) as RunRequest);
    runs.set(key, run);
  }
  response.end(JSON.stringify(await run));
}

async function openRun(wanted: RunRequest): Promise<SharedRun> {
  const client = new Touchstone();
  const runId = await createRun(client, wanted);
  const { datasetId, datasetVersion } = await readRun(client, runId);
  return { runId, datasetId, datasetVersion };
}

async function endRuns(): Promise<void> {
  const opened = [...runs.values()];
  runs.clear();
  for (const pending of opened) {
    const run = await pending.catch(() => null);
    if (run === null) continue;
    const client = new Touchstone();
    const url = await findRunUrl(client, run.runId);
    const { averageRating, resultCount } = await EvaluationRun.end(client, run.runId, { url, scorerFailures: {} });
    const average = averageRating === null ? "nothing rated" : `average rating ${averageRating.toFixed(2)}`;
    process.stdout.write(`Touchstone: ${resultCount} results, ${average}. ${url}\n`);
  }
}
