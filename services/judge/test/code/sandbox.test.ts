import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, expect, test, vi } from "vitest";
import type { Sandbox } from "../../src/scorers/code/sandbox.ts";
import { type SandboxOutcome, type SandboxProcess, SandboxStartError } from "../../src/scorers/code/sandbox-process.ts";
import { setUpSandbox } from "./sandbox-setup.ts";

const stops: Sandbox[] = [];
afterEach(() => {
  for (const sandbox of stops.splice(0)) sandbox.stop();
});

function setUp(options: Parameters<typeof setUpSandbox>[0] = {}) {
  const made = setUpSandbox(options);
  stops.push(made.sandbox);
  return made;
}

/** Processes that answer on command. */
function scriptProcesses() {
  const started: string[] = [];
  const asked: { program: string; answer(outcome: SandboxOutcome): void }[] = [];
  const killed = new Set<number>();
  async function startProcess(): Promise<SandboxProcess> {
    const pid = started.push("started");
    let isNew = true;
    return {
      pid,
      evaluate: (program) => {
        isNew = false;
        return new Promise((answer) => asked.push({ program, answer }));
      },
      isNew: () => isNew,
      isFit: () => !killed.has(pid),
      kill: () => void killed.add(pid),
    };
  }
  return { started, asked, killed, startProcess };
}

const codeOf = (program: string): string => JSON.parse(program)[0];

test("no process starts before the first evaluation, and one that is idle for long is ended", async () => {
  const { started, asked, killed, startProcess } = scriptProcesses();
  const { score } = setUp({ startProcess, idleMs: 5 });
  expect(started).toEqual([]);
  const row = score("return 1;");
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  asked[0]?.answer({ kind: "scored", score: 1 });
  expect((await row).score).toBe(1);
  await vi.waitFor(() => expect(killed.size).toBe(1));
});

test("a scorer whose process breaks after others runs again in a new one; only a scorer that breaks a new process gets the error", async () => {
  const { started, asked, startProcess } = scriptProcesses();
  const { score } = setUp({ startProcess, processesMax: 1 });
  const answers: SandboxOutcome[] = [
    { kind: "memory" },
    { kind: "crashed" },
    { kind: "scored", score: 7 },
    { kind: "crashed" },
    { kind: "crashed" },
  ];
  const rows = (async () => [await score("greedy"), await score("innocent"), await score("guilty")])();
  for (const [at, outcome] of answers.entries()) {
    await vi.waitFor(() => expect(asked).toHaveLength(at + 1));
    asked[at]?.answer(outcome);
  }
  expect((await rows).map((row) => row.error ?? row.score)).toEqual([
    expect.stringContaining("memory"),
    7,
    "Scorer broke the sandbox it ran in",
  ]);
  expect(asked.map(({ program }) => codeOf(program))).toEqual(["greedy", "innocent", "innocent", "guilty", "guilty"]);
  expect(started).toHaveLength(3);
});

test("a project with many scorers does not hold up another's one", async () => {
  const { asked, startProcess } = scriptProcesses();
  const { score } = setUp({ startProcess });
  const rows = [..."12345"].map((code) => score(code, {}, { group: "many" }));
  rows.push(score("other", {}, { group: "one" }));
  for (let at = 0; at < rows.length; at += 1) {
    await vi.waitFor(() => expect(asked).toHaveLength(at + 1));
    asked[at]?.answer({ kind: "scored", score: at });
  }
  await Promise.all(rows);
  expect(asked.map(({ program }) => codeOf(program)).indexOf("other")).toBeLessThanOrEqual(2);
});

test("beyond the limit of the queue a scorer is refused with an error", async () => {
  const { asked, startProcess } = scriptProcesses();
  const { score } = setUp({ startProcess, waitingMax: 1 });
  const rows = [score("a"), score("b")];
  expect(await score("c")).toEqual({ name: "s", score: null, error: "Too many code scorers are waiting" });
  for (const at of [0, 1]) {
    await vi.waitFor(() => expect(asked).toHaveLength(at + 1));
    asked[at]?.answer({ kind: "scored", score: 1 });
  }
  expect((await Promise.all(rows)).map((row) => row.score)).toEqual([1, 1]);
});

test("a scorer that did not get its turn within the result's time reports it", async () => {
  const { asked, startProcess } = scriptProcesses();
  const { score } = setUp({ startProcess });
  const first = score("a");
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  const limit = new AbortController();
  const second = score("b", {}, { signal: limit.signal });
  limit.abort();
  expect(await second).toEqual({
    name: "s",
    score: null,
    error: "The time for this result was up before the scorer had run",
  });
  asked[0]?.answer({ kind: "scored", score: 1 });
  await first;
});

test.each([
  ["output_too_large", "Scorer returned more than a score may hold"],
  ["crashed", "Scorer broke the sandbox it ran in"],
  ["timeout", "Scorer did not finish within 3000 ms"],
  ["memory", "Scorer needed more than 64 MB of memory"],
] as const)("an evaluation that comes out as %s is an error of one sentence", async (kind, error) => {
  const { asked, startProcess } = scriptProcesses();
  const { score } = setUp({ startProcess });
  const row = score("a");
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  asked[0]?.answer({ kind });
  expect(await row).toEqual({ name: "s", score: null, error });
});

test("when no process can be started every row has an error, and the log says it once until it works again", async () => {
  let isBroken = true;
  const { asked, startProcess } = scriptProcesses();
  const tries: number[] = [];
  const { score, log } = setUp({
    startPauseMs: 0,
    async startProcess() {
      tries.push(1);
      if (isBroken) throw new SandboxStartError("It ended (code 1). Cannot find package 'quickjs-emscripten-core'");
      return startProcess();
    },
  });
  const unavailable = { name: "s", score: null, error: "The sandbox for code scorers could not be started" };
  expect(await score("a")).toEqual(unavailable);
  expect(await score("b")).toEqual(unavailable);
  expect(log().match(/code scorers cannot run/g)).toHaveLength(1);
  expect(log()).toContain("Cannot find package");
  isBroken = false;
  const row = score("c");
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  asked[0]?.answer({ kind: "scored", score: 1 });
  expect((await row).score).toBe(1);
});

test("a start that fails for an unforeseen reason is an error of the row, and the log says the reason", async () => {
  const { score, log } = setUp({ startProcess: () => Promise.reject(new TypeError("spawn ENOMEM")) });
  expect(await score("a")).toEqual({
    name: "s",
    score: null,
    error: "The sandbox for code scorers could not be started",
  });
  expect(log()).toContain("spawn ENOMEM");
});

test("a start without enough free descriptors rejects, and the judge's process lives on", async () => {
  const script = `
    import { closeSync, openSync } from "node:fs";
    import { startSandboxProcess } from "${new URL("../../src/scorers/code/sandbox-process.ts", import.meta.url)}";
    const opened = [];
    try { for (;;) opened.push(openSync("/dev/null")); } catch {}
    // Enough to read a file, too few for the pipes of a process.
    for (const fd of opened.splice(-3)) closeSync(fd);
    const limits = { timeoutMs: 1, memoryBytes: 1, killGraceMs: 1, evaluationsMax: 1, dropUser: false };
    const failure = await startSandboxProcess(limits).catch((err) => err);
    await new Promise(setImmediate);
    process.stdout.write(String(failure));`;
  const command = [process.execPath, "--input-type=module", "--eval", script];
  const { stdout } = await promisify(execFile)("/bin/sh", ["-c", 'ulimit -n 64; exec "$@"', "sh", ...command]);
  expect(stdout).toBe("SandboxStartError: It could not be started: too many open files.");
});

test("after a failed start no process is started for a while", async () => {
  let tries = 0;
  const { score } = setUp({
    startPauseMs: 60_000,
    async startProcess() {
      tries += 1;
      throw new SandboxStartError("no");
    },
  });
  await Promise.all([score("a"), score("b"), score("c")]);
  expect(tries).toBe(1);
});

test.runIf(process.getuid?.() === 0)(
  "a sandbox that the unprivileged user cannot run runs as the judge's user, and the log has a warning",
  async () => {
    const { asked, startProcess } = scriptProcesses();
    const { score, log } = setUp({
      startProcess({ dropUser }) {
        return dropUser ? Promise.reject(new SandboxStartError("EACCES")) : startProcess();
      },
    });
    const row = score("a");
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    asked[0]?.answer({ kind: "scored", score: 1 });
    expect((await row).score).toBe(1);
    expect(log()).toContain("code scorers run as root");
  },
);

test.runIf(process.getuid?.() === 0)(
  "a start that fails for another reason is never tried as the judge's user",
  async () => {
    const users: boolean[] = [];
    const { score, log } = setUp({
      async startProcess({ dropUser }) {
        users.push(dropUser);
        throw new SandboxStartError("It ended (SIGKILL).");
      },
    });
    await score("a");
    expect(users).toEqual([true]);
    expect(log()).not.toContain("code scorers run as root");
  },
);

test("a scorer whose process is killed does not affect the answers of other scorers", async () => {
  const { score } = setUp({ processesMax: 2, timeoutMs: 1_000, killGraceMs: 100 });
  const neighbours = Array.from({ length: 6 }, (_, at) => score(`return ${at};`, {}, { group: "neighbour" }));
  const stuck = score(`return (new Array(1e9) + "").length;`, {}, { group: "stuck" });
  expect((await Promise.all(neighbours)).map((row) => row.score)).toEqual([0, 1, 2, 3, 4, 5]);
  expect((await stuck).error).toMatch(/^Scorer (did not finish|needed more)/);
  expect((await score("return 7;")).score).toBe(7);
});

test("endless scorers of one project leave a process to the others", async () => {
  const { score } = setUp({ processesMax: 2, timeoutMs: 20_000 });
  const stop = new AbortController();
  const ended: string[] = [];
  const endless = Array.from({ length: 2 }, () =>
    score("for (;;);", {}, { group: "endless", signal: stop.signal }).then(() => void ended.push("endless")),
  );
  expect((await score("return 7;", {}, { group: "other" })).score).toBe(7);
  expect(ended).toEqual([]);
  stop.abort(new Error("The test is over."));
  await Promise.all(endless);
});

test("a stop ends running evaluations at once", async () => {
  const { sandbox, score } = setUp({ timeoutMs: 60_000 });
  await score("return 1;");
  const row = score("for (;;);");
  await new Promise(setImmediate);
  sandbox.stop();
  expect(await row).toEqual({ name: "s", score: null, error: "Scorer broke the sandbox it ran in" });
});
