import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type SandboxProcess, startSandboxProcess } from "../../src/scorers/code/sandbox-process.ts";
import { shortLimits } from "./sandbox-setup.ts";

const isRoot = process.getuid?.() === 0;
const never = new AbortController().signal;
const options = { ...shortLimits, evaluationsMax: 100, dropUser: isRoot };
const program = (code: string) => JSON.stringify([code, { input: "", output: "", expected: null }]);

let sandbox: SandboxProcess;

beforeAll(async () => {
  process.env.OPENAI_API_KEY ??= "sk-canary";
  sandbox = await startSandboxProcess(options);
  expect(await sandbox.evaluate(program("return 1;"), never)).toEqual({ kind: "scored", score: 1 });
});
afterAll(() => sandbox.kill());

const facts = (name: string) => readFileSync(`/proc/${sandbox.pid}/${name}`, "utf8");

describe("a sandbox process", () => {
  test("has an empty environment", () => {
    expect(facts("environ")).toBe("");
  });

  test("has three pipes to the judge, and no other descriptor that it did not open itself", () => {
    const opened = readdirSync(`/proc/${sandbox.pid}/fd`).map((fd) => [
      fd,
      readlinkSync(`/proc/${sandbox.pid}/fd/${fd}`),
    ]);
    const inherited = opened.filter(([, target]) => !/^(anon_inode:|pipe:)|^\/dev\/null$/.test(target ?? ""));
    expect(inherited.map(([fd]) => fd).sort()).toEqual(["0", "1", "2"]);
    for (const [, target] of inherited) expect(target).toMatch(/^(socket|pipe):/);
    // Node's own pipes have both their ends in the process.
    const ends = opened.flatMap(([, target]) => (target?.startsWith("pipe:") ? [target] : []));
    for (const pipe of ends) expect(ends.filter((end) => end === pipe)).toHaveLength(2);
  });

  test("works in a deleted folder, so that nothing can be created in it", () => {
    expect(readlinkSync(`/proc/${sandbox.pid}/cwd`)).toMatch(/touchstone-scorer-\w+ \(deleted\)$/);
  });

  test("has kernel limits on writes, open files, CPU time and memory", () => {
    const limit = (name: string) =>
      new RegExp(`^${name}\\s+(\\d+)\\s+(\\d+)`, "m").exec(facts("limits"))?.slice(1).map(Number);
    expect(limit("Max file size")).toEqual([0, 0]);
    expect(limit("Max core file size")).toEqual([0, 0]);
    expect(limit("Max open files")).toEqual([64, 64]);
    expect(limit("Max cpu time")).toEqual([60, 60]);
    expect(limit("Max data size")).toEqual([1024 ** 3, 1024 ** 3]);
  });

  test.runIf(isRoot)("runs as another user and in no group of the judge, when the judge is root", () => {
    expect(facts("status")).toMatch(/^Uid:\t61048\t61048\t61048\t61048$/m);
    expect(facts("status")).toMatch(/^Gid:\t61048\t61048\t61048\t61048$/m);
    expect(facts("status")).toMatch(/^Groups:\s*$/m);
    expect(facts("status")).toMatch(/^CapEff:\t0+$/m);
  });

  test.runIf(isRoot)("cannot become root again, and has no thread that still runs as root", () => {
    const threads = readdirSync(`/proc/${sandbox.pid}/task`);
    expect(threads.length).toBeGreaterThan(1);
    for (const thread of threads) {
      const status = facts(`task/${thread}/status`);
      expect(status).toMatch(/^Uid:\t61048\t61048\t61048\t61048$/m);
      expect(status).toMatch(/^Cap(?:Prm|Amb):\t0+$/m);
    }
  });

  test("runs under Node's permission model, without code from strings", () => {
    const command = facts("cmdline").split("\0");
    expect(command).toEqual(expect.arrayContaining(["--permission", "--disallow-code-generation-from-strings"]));
    expect(command.filter((part) => part.startsWith("--allow-") && !part.startsWith("--allow-fs-read=/"))).toEqual([]);
    expect(command).not.toContain("--allow-fs-read=/");
  });
});

test("an endless loop is interrupted, and its process answers and keeps running", async () => {
  expect(await sandbox.evaluate(program("for (;;);"), never)).toEqual({ kind: "timeout" });
  expect(sandbox.isFit()).toBe(true);
  expect(await sandbox.evaluate(program("return 2;"), never)).toEqual({ kind: "scored", score: 2 });
});

test("a process that is stuck in one operation is killed soon after the limit", async () => {
  const doomed = await startSandboxProcess(options);
  const started = performance.now();
  // The engine checks no interrupt while it joins a billion holes; without the kill this takes minutes.
  expect(await doomed.evaluate(program(`return (new Array(1e9) + "").length;`), never)).toEqual({ kind: "timeout" });
  expect(performance.now() - started).toBeGreaterThanOrEqual(options.timeoutMs);
  expect(doomed.isFit()).toBe(false);
  await vi.waitFor(() => expect(() => process.kill(doomed.pid, 0)).toThrow());
});

test("a killed process is not used again in the moment before it ends", async () => {
  const killed = await startSandboxProcess(options);
  expect([killed.isNew(), killed.isFit()]).toEqual([true, true]);
  killed.kill();
  expect(killed.isFit()).toBe(false);
});

test("a process that cannot start reports why", async () => {
  const start = startSandboxProcess({ ...options, memoryBytes: 0 });
  await expect(start).rejects.toThrow(/^It ended \(code 1\)\.[\s\S]*WebAssembly\.Memory/);
});

test("a process is replaced after a number of evaluations", async () => {
  const brief = await startSandboxProcess({ ...options, evaluationsMax: 2 });
  await brief.evaluate(program("return 1;"), never);
  expect(brief.isFit()).toBe(true);
  await brief.evaluate(program("return 1;"), never);
  expect(brief.isFit()).toBe(false);
  brief.kill();
});

test("when no caller waits for an answer any more, the process is ended rather than left to work", async () => {
  const process_ = await startSandboxProcess({ ...options, timeoutMs: 60_000 });
  const caller = new AbortController();
  const answer = process_.evaluate(program("for (;;);"), caller.signal);
  caller.abort(new Error("gone"));
  await expect(answer).rejects.toThrow("gone");
  expect(process_.isFit()).toBe(false);
  await vi.waitFor(() => expect(() => process.kill(process_.pid, 0)).toThrow());
});

test("a process ends when the judge is killed", async () => {
  const script = `
    import { startSandboxProcess } from ${JSON.stringify(new URL("../../src/scorers/code/sandbox-process.ts", import.meta.url).href)};
    const { pid } = await startSandboxProcess(${JSON.stringify(options)});
    process.stdout.write(String(pid), () => process.kill(process.pid, "SIGKILL"));`;
  let pid = 0;
  try {
    execFileSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8", stdio: "pipe" });
  } catch (err) {
    const { signal, stdout } = err as { signal: string; stdout: string };
    expect(signal).toBe("SIGKILL");
    pid = Number(stdout);
  }
  expect(pid).toBeGreaterThan(1);
  await vi.waitFor(() => expect(() => readFileSync(`/proc/${pid}/cmdline`)).toThrow());
});

const judgeFolder = path.resolve(import.meta.dirname, "../..");

/**
 * Copies what a sandbox process reads below a folder that only root may enter, as a clone below `/root` is. What the judge itself
 * reads is linked. Returns the folder of the judge in it.
 */
function copyJudge(privateFolder: string): string {
  const copy = path.join(privateFolder, "services/judge");
  const code = "src/scorers/code";
  cpSync(path.join(judgeFolder, code), path.join(copy, code), { recursive: true });
  cpSync(path.join(judgeFolder, "package.json"), path.join(copy, "package.json"));
  const packages = (name: string) => path.join(judgeFolder, "node_modules", name);
  const copiedTo = path.join(copy, "node_modules");
  for (const name of ["quickjs-emscripten-core", "@jitl/quickjs-wasmfile-release-sync"]) {
    const real = realpathSync(packages(name));
    // With the packages that it needs, which are beside it.
    cpSync(real.slice(0, -name.length), copiedTo, { recursive: true, dereference: true });
  }
  mkdirSync(path.join(copiedTo, "@touchstone"));
  for (const name of ["zod", "@touchstone/contracts", "@touchstone/service-kit"]) {
    symlinkSync(realpathSync(packages(name)), path.join(copiedTo, name));
  }
  return copy;
}

test.runIf(isRoot)("below a folder of mode 0700 a process of root is another user too, without a warning", async () => {
  // mkdtemp makes folders of this mode.
  const privateFolder = await mkdtemp(path.join(tmpdir(), "touchstone-private-"));
  try {
    const copy = copyJudge(privateFolder);
    const script = `
      import { readFileSync } from "node:fs";
      import { createSandbox, sandboxDefaults } from ${JSON.stringify(`${copy}/src/scorers/code/sandbox.ts`)};
      import { startSandboxProcess } from ${JSON.stringify(`${copy}/src/scorers/code/sandbox-process.ts`)};
      const warnings = [];
      const warn = ({ err }, text) => warnings.push(text, String(err));
      let uids = "";
      const startProcess = async (options) => {
        const started = await startSandboxProcess(options);
        uids = /^Uid:.*$/m.exec(readFileSync("/proc/" + started.pid + "/status", "utf8"))[0];
        return started;
      };
      const logger = { warn, error: warn };
      const sandbox = createSandbox({ ...sandboxDefaults, processesMax: 1, logger, startProcess });
      const request = { group: "p", signal: new AbortController().signal };
      const outcome = await sandbox.evaluate(${JSON.stringify(program("return 1;"))}, request);
      sandbox.stop();
      process.stdout.write(JSON.stringify({ outcome, uids, warnings }));`;
    const said = execFileSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
    expect(JSON.parse(said)).toEqual({
      outcome: { kind: "scored", score: 1 },
      uids: "Uid:\t61048\t61048\t61048\t61048",
      warnings: [],
    });
  } finally {
    rmSync(privateFolder, { recursive: true });
  }
});
