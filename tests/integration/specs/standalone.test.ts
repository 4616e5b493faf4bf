import { execFile } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { submitTraceReply, traceList } from "@touchstone/contracts";
import { buildTrace } from "@touchstone/testkit";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { createClient } from "../src/client.ts";
import {
  canUserRun,
  StandaloneFailure,
  type StandaloneProcess,
  startStandaloneProcess,
} from "../src/standalone-process.ts";
import { waitUntil } from "../src/wait-until.ts";

// Several starts in a test, with two minutes for each.
vi.setConfig({ testTimeout: 480_000 });

/** Shared by all tests without a folder of their own: the first start on it takes seconds, the others less. */
let home: string;
const homes: string[] = [];
let running: StandaloneProcess | null = null;

async function makeHome(): Promise<string> {
  const made = await mkdtemp(path.join(tmpdir(), "touchstone-home-"));
  homes.push(made);
  return made;
}

beforeAll(async () => {
  home = await makeHome();
});

afterEach(async () => {
  await running?.interrupt();
  running = null;
});

afterAll(async () => {
  // When a standalone was killed or failed to start, the guardian stops the servers, gracefully for five seconds.
  for (const folder of homes) await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

const submit = (standalone: StandaloneProcess, spanId: string) =>
  createClient(standalone).expect(
    { status: 201, schema: submitTraceReply },
    "POST",
    "/ingest/traces",
    buildTrace({ spanId }),
  );

const failureOf = (start: Promise<unknown>): Promise<StandaloneFailure> =>
  start.then(
    () => {
      throw new Error("It started.");
    },
    (error: unknown) => {
      if (error instanceof StandaloneFailure) return error;
      throw error;
    },
  );

test("it prints a working address and key, and a second start keeps data and key", {
  tags: ["spec:auth.key.startup-log"],
}, async () => {
  running = await startStandaloneProcess({ home });
  const first = running;
  await submit(first, "kept");
  // systemd and a closed terminal send signals to the whole group, and the launcher sends them once more.
  process.kill(first.pid, "SIGTERM");
  await waitUntil("it stops", async () => first.output().includes("Stopping ..."));
  for (const signal of ["SIGTERM", "SIGHUP"]) process.kill(first.pid, signal);
  expect(await first.interrupt()).toBe(0);

  running = await startStandaloneProcess({ home });

  expect(running.apiKey).toBe(first.apiKey);
  const list = await createClient(running).expect({ status: 200, schema: traceList }, "GET", "/ingest/traces");
  expect(list.traces.map((trace) => trace.spanId)).toEqual(["kept"]);
});

test("the three lines it prints send a first trace, and a warning about an unknown setting suggests the right name", {
  tags: ["spec:settings.did-you-mean"],
}, async () => {
  running = await startStandaloneProcess({
    home,
    settings: { SERVICE_RATE_LIMITT: "off", SERVICE_GITHUB_CLIENT_ID: "x" },
  });
  const warned = running.output().match(/^Warning: .*/gm);
  expect(warned).toEqual([
    "Warning: SERVICE_RATE_LIMITT: no such setting; did you mean SERVICE_RATE_LIMIT?",
    expect.stringMatching(/^Warning: SERVICE_GITHUB_CLIENT_ID: without SERVICE_AUTH=enabled/),
  ]);
  const lines = running.output().split("\n");
  const first = lines.findIndex((line) => line.startsWith("curl"));
  const command = lines.slice(first, first + 3).join("\n");

  const { stdout } = await promisify(execFile)("sh", ["-c", command]);

  expect(JSON.parse(stdout)).toMatchObject({ trace_id: expect.any(String), queued: false });
});

test("the dashboard is served at the address that is printed first, and the API does not wait for its build", async () => {
  running = await startStandaloneProcess({ home });
  const { url } = running;
  const lines = running.output().split("\n");
  const [opening, key] = ["Open http", "Default project API key"].map((begin) =>
    lines.findIndex((line) => line.startsWith(begin)),
  );
  expect(opening).toBeGreaterThan(-1);
  expect(opening).toBeLessThan(key as number);
  await submit(running, "seen in the dashboard");

  const open = (address: string, headers: Record<string, string>) => fetch(url + address, { headers });
  let page = "";
  await waitUntil(
    "the dashboard is built",
    async () => {
      const answer = await open("/p/any/traces", { accept: "text/html" });
      page = await answer.text();
      return answer.status === 200;
    },
    { timeoutMs: 180_000 },
  );
  const [, script = ""] = /src="(\/assets\/[^"]+)"/.exec(page) ?? [];
  const answer = await open(script, { "accept-encoding": "gzip" });

  expect([answer.status, answer.headers.get("content-encoding")]).toEqual([200, "gzip"]);
  expect(await answer.text()).toContain("/api/v1/");
});

test("its metrics have those of all services, and no sample twice", async () => {
  running = await startStandaloneProcess({ home, settings: { SERVICE_DASHBOARD: "off" } });

  const text = await (await fetch(`${running.url}/metrics`)).text();

  const samples = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const names = samples.map((line) => line.slice(0, line.lastIndexOf(" ")));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  for (const service of ["gateway", "ingest", "judge", "eval-runs", "auth", "monitor"]) {
    expect(text).toContain(`service="${service}"`);
  }
});

test("--demo is refused with one sentence where accounts are required", async () => {
  const failure = await failureOf(
    startStandaloneProcess({ home, args: ["--demo"], settings: { SERVICE_AUTH: "enabled" } }),
  );

  expect(failure.output.trim()).toBe(
    "--demo is for the default mode: with SERVICE_AUTH=enabled a project is made by who signs in.",
  );
});

test("SERVICE_PRINT_KEY=false prints eight characters of the key, and a second standalone on the same folder is refused with one sentence", async () => {
  running = await startStandaloneProcess({ home, settings: { SERVICE_PRINT_KEY: "false" } });
  expect(running.apiKey).toMatch(/^tsk_.{4}\.\.\.$/);

  const failure = await failureOf(startStandaloneProcess({ home }));

  expect(failure.output).toContain("Touchstone is already running on");
});

test("a busy port is refused with one sentence", async () => {
  const squatter = createServer();
  await new Promise<void>((resolve) => squatter.listen(0, "127.0.0.1", resolve));
  const { port } = squatter.address() as AddressInfo;

  const failure = await failureOf(startStandaloneProcess({ home, settings: { PORT: String(port) } }));

  expect(failure.output.trim().split("\n").at(-1)).toBe(`Port ${port} is already in use; set PORT to another one.`);
  squatter.close();
});

test("all mistakes in the settings are reported before anything is started", {
  tags: ["spec:settings.refused"],
}, async () => {
  const untouched = await makeHome();
  const failure = await failureOf(
    startStandaloneProcess({
      home: untouched,
      settings: { PORT: "seven", SERVICE_RATE_LIMIT: "maybe", SERVICE_IMPROVEMENT_SWEEP: "5" },
    }),
  );

  expect(failure.code).toBe(2);
  for (const name of ["PORT", "SERVICE_RATE_LIMIT", "SERVICE_IMPROVEMENT_SWEEP"]) {
    expect(failure.output).toContain(name);
  }
  expect(await readdir(untouched)).toEqual([]);
});

test("an ordinary user can run it", async (context) => {
  if (process.getuid?.() !== 0) return context.skip("Only root can start it as somebody else.");
  // The only ordinary user that exists on every system; PostgreSQL requires a user name.
  const nobody = 65_534;
  if (!(await canUserRun(nobody))) return context.skip("Other users cannot read this copy of the repository.");
  const parent = await makeHome();
  const own = path.join(parent, "own");
  await mkdir(own);
  await chmod(parent, 0o755);
  await chown(own, nobody, nobody);

  running = await startStandaloneProcess({ home: own, uid: nobody });

  await submit(running, "as an ordinary user");
});
