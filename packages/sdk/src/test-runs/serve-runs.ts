import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readRun, Touchstone } from "../client.ts";
import { createRun } from "../evaluate.ts";
import { EvaluationRun, findRunUrl } from "../evaluation-run.ts";
import type { RunRequest, SharedRun } from "./shared-run.ts";

/** The runs that the tests of a test runner add to. */
export interface ServedRuns {
  /** Where {@link RunRequest}s are answered: on loopback, with a path that only the workers know. */
  address: string;
  /** Ends the runs and prints their results; the next request of a dataset makes a new run. */
  end(): Promise<void>;
  /** Ends the runs and the server. */
  close(): Promise<void>;
}

/** Creates a run for each dataset that tests name, for all workers. */
export async function serveRuns(): Promise<ServedRuns> {
  const runs = new Map<string, Promise<SharedRun>>();
  const secretPath = `/${randomUUID()}`;
  const server = createServer((request, response) => {
    if (request.url !== secretPath) return void response.writeHead(404).end();
    answer(runs, request, response).catch((error: unknown) => {
      response.writeHead(500).end(error instanceof Error ? error.message : String(error));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  server.unref();
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}${secretPath}`,
    end: () => endRuns(runs),
    async close() {
      await endRuns(runs);
      server.close();
    },
  };
}

async function answer(
  runs: Map<string, Promise<SharedRun>>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
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

async function endRuns(runs: Map<string, Promise<SharedRun>>): Promise<void> {
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
