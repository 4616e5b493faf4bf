/**
 * Proves the image and the Compose file on a machine without Docker: `npm run image-proof [-- --rounds 20] [--no-build]`. It builds the
 * image, checks it, starts two of every service from it as Compose would, grades a run, stores a trace of a Langfuse client, and restarts
 * every container in turn under load.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";
import { startScriptedLlm } from "@touchstone/testkit/scripted-llm";
import { createClient } from "../../tests/integration/src/client.ts";
import { gradeTracedRun } from "../../tests/integration/src/graded-run.ts";
import { langfuseClients, readOnlyTrace } from "../../tests/integration/src/langfuse-clients.ts";
import { repositoryRoot } from "../repository-files.ts";
import { type BuiltImage, buildImage, installPackages, mountImage } from "./build-image.ts";
import { checkImage } from "./check-image.ts";
import { type ImageSystem, startImageSystem } from "./image-system.ts";
import { restartUnderLoad } from "./rolling-restarts.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "3" }, "no-build": { type: "boolean", default: false } },
});
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 0 || rounds > 1_000) fail("--rounds is a number from 0 to 1000.");

let startedMs = performance.now();
/** Prints a line with the time since the last one. */
function note(line: string): void {
  const nowMs = performance.now();
  console.log(`${line} (${((nowMs - startedMs) / 1_000).toFixed(1)} s)`);
  startedMs = nowMs;
}

try {
  await installPackages();
  const revision = execFileSync("git", ["rev-parse", "HEAD"], { cwd: repositoryRoot, encoding: "utf8" }).trim();
  if (!values["no-build"]) await buildImage(revision);
  const image = await mountImage();
  try {
    note("Built and mounted the image.");
    await proveImage(image);
  } finally {
    await image.unmount();
  }
} catch (error) {
  fail(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

async function proveImage(image: BuiltImage): Promise<void> {
  const { bytes, ownBytes, faults } = await checkImage(image);
  note(`Checked the image: ${megabytes(bytes)}, of which ${megabytes(ownBytes)} are its own.`);
  assert.deepEqual(faults, []);
  const llm = await startScriptedLlm();
  llm.answerWith({ kind: "verdict", rating: 8, justification: "Names the day." });
  const settings = {
    OPENAI_BASE_URL: llm.baseUrl,
    OPENAI_API_KEY: "sk-scripted",
    SERVICE_JUDGE_RETRIES: "0",
    SERVICE_RATE_LIMIT: "off",
    SERVICE_LOG_LEVEL: "warn",
    // Above the interval at which the clients check the gateways, also on a busy machine.
    SERVICE_STOP_ANNOUNCE_SECONDS: "3",
  };
  try {
    const system = await startImageSystem(image, { replicas: 2, settings });
    try {
      note(`${system.containers.length} containers are ready.`);
      await proveSystem(system);
    } catch (error) {
      console.error(system.logs());
      throw error;
    } finally {
      await system.stop();
    }
  } finally {
    await llm.stop();
  }
}

async function proveSystem(system: ImageSystem): Promise<void> {
  const [url = ""] = system.gateways;
  const { apiKey } = (await (await fetch(`${url}/api/v1/auth/config`)).json()) as { apiKey: string };
  const client = createClient({ url, apiKey });
  const { list, graded } = await gradeTracedRun(client);
  assert.equal(list.totalCount, 1);
  assert.equal(graded.results.filter(({ status }) => status === "scored").length, 13);
  note("A trace was stored and read, and a run graded.");

  const { v3: langfuse } = langfuseClients(url, apiKey);
  langfuse
    .trace({ name: "from-langfuse", input: "Which day is it?", output: "Monday" })
    .span({ name: "look-up" })
    .end();
  await langfuse.shutdownAsync();
  const { spans } = await readOnlyTrace(client, "from-langfuse");
  assert.equal(spans.length, 2);
  note("A client of Langfuse stored a trace.");

  const { failures, exits, requests, traces, results } = await restartUnderLoad(system, {
    apiKey,
    rounds,
    onRound: (report) => note(`Restarted everything: ${report.requests} requests, ${report.failures.length} failed.`),
  });
  console.log(`${requests} requests, ${failures.length} failed; ${traces.stored} traces, ${results.stored} results.`);
  for (const container of system.containers) {
    const { isConfined, peakBytes } = await container.readFacts();
    assert.ok(isConfined, `${container.service} has more rights than it needs.`);
    console.log(`${container.service}: ${megabytes(peakBytes)} of memory at most`);
  }
  assert.deepEqual({ failures, exits }, { failures: [], exits: [] });
  assert.equal(traces.stored, traces.acknowledged);
  assert.equal(results.stored, results.acknowledged);
  assert.doesNotMatch(system.logs(), /permissions? violation|permission denied/i);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
