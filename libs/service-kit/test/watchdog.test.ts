import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, type TestContext, test } from "vitest";

interface Blocking {
  how: "loop" | "native" | "never";
  stopWithinMs?: number;
  stallAfterMs?: number | null;
}

/** Starts a service that blocks its event loop; resolves when it is about to. */
async function startProcess(
  { onTestFinished }: TestContext,
  { how, stopWithinMs = 60_000, stallAfterMs = null }: Blocking,
) {
  const options = JSON.stringify({ how, stopWithinMs, stallAfterMs });
  const child = spawn(process.execPath, [path.join(import.meta.dirname, "blocked-process.ts"), options], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const errors = text(child.stderr);
  const exit = once(child, "exit") as Promise<[code: number | null, signal: NodeJS.Signals | null]>;
  await once(child.stdout, "data");
  return { child, exit, readErrors: async () => (await errors).trim().split("\n").filter(Boolean) };
}

/** A signal that arrives before the thread listens reaches only the loop: starting takes a moment. */
function signalUntilExit(child: ChildProcess, signal: NodeJS.Signals): void {
  const timer = setInterval(() => child.kill(signal), 100);
  child.once("exit", () => clearInterval(timer));
}

// Each waits for a separate process.
describe.concurrent("the watchdog of a process", () => {
  test("SIGTERM ends a process whose event loop is blocked within its stop time, and the log names the blocking code", async (context) => {
    const { expect } = context;
    const { child, exit, readErrors } = await startProcess(context, { how: "loop", stopWithinMs: 1_000 });
    signalUntilExit(child, "SIGTERM");

    expect(await exit).toEqual([1, null]);
    const lines = await readErrors();
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toEqual({
      level: "error",
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      service: "ingest",
      blockedMs: expect.any(Number),
      blockedIn: expect.arrayContaining([
        expect.stringMatching(/^spinForever \(file:.*blocked-process\.ts:\d+:\d+\)$/),
      ]),
      msg: "the stop took too long, because the event loop is blocked; exiting",
    });
  });

  test("Ctrl-C ends a blocked process in the same way, also while code runs that cannot be interrupted", async (context) => {
    const { expect } = context;
    const { child, exit, readErrors } = await startProcess(context, { how: "native", stopWithinMs: 1_000 });
    signalUntilExit(child, "SIGINT");

    expect(await exit).toEqual([null, "SIGKILL"]);
    expect(JSON.parse((await readErrors())[0] ?? "")).toMatchObject({ blockedIn: [] });
  });

  test("an event loop that is blocked for too long is logged, and the process ends with code 70", async (context) => {
    const { expect } = context;
    const { exit, readErrors } = await startProcess(context, { how: "loop", stallAfterMs: 1_500 });

    expect(await exit).toEqual([70, null]);
    const lines = await readErrors();
    expect(lines).toHaveLength(1);
    const line = JSON.parse(lines[0] ?? "");
    expect(line).toMatchObject({ level: "fatal", msg: "the event loop is blocked; exiting" });
    expect(line.blockedMs).toBeGreaterThanOrEqual(1_500);
  });

  test("a process that was frozen does not count as blocked, and stops on request", async (context) => {
    const { expect } = context;
    const { child, exit, readErrors } = await startProcess(context, { how: "never", stallAfterMs: 1_500 });
    // Loop and thread resume in random order.
    for (let round = 1; round <= 3; round += 1) {
      await sleep(500);
      child.kill("SIGSTOP");
      await sleep(1_800);
      child.kill("SIGCONT");
    }
    await sleep(500);
    child.kill("SIGTERM");

    expect(await exit).toEqual([0, null]);
    expect(await readErrors()).toEqual([]);
  });
});
