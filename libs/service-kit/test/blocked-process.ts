import { execFileSync } from "node:child_process";
import { runProcess } from "../src/run-process.ts";

// A program for tests: a service that prints "blocked" on standard output and then blocks its event loop, or prints
// "serving" and does not. Its argument describes it, as JSON.
const { how, stopWithinMs, stallAfterMs } = JSON.parse(process.argv[2] ?? "{}") as {
  how: "loop" | "native" | "never";
  stopWithinMs: number;
  stallAfterMs: number | null;
};

const say = (word: string): void => {
  process.stdout.write(`${word}\n`);
};

function spinForever(): never {
  for (;;);
}

const ways = {
  loop: spinForever,
  // Code of Node that no debugger can interrupt.
  native: () => execFileSync("/bin/sleep", ["30"]),
  never: () => {},
};

await runProcess({
  name: "ingest",
  environment: {},
  read: () => ({ config: { logLevel: "error", stopWithinMs, stallAfterMs, tracing: null }, warnings: [] }),
  create: () => ({
    name: "ingest",
    async start() {
      setInterval(() => {}, 60_000);
      say(how === "never" ? "serving" : "blocked");
      setTimeout(ways[how], 50);
      return { address: null };
    },
    async stop() {},
    readiness: async () => ({ ready: true, checks: {} }),
  }),
});
