import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { listenToProcess } from "../../src/scorers/code/listen-to-process.ts";

/** A process that got out of the interpreter and does as it likes: it runs `script` when it is spoken to. */
function startRogue(script: string) {
  const frame =
    "const frame = (text) => { const head = Buffer.alloc(4); head.writeUInt32BE(text.length); process.stdout.write(head); process.stdout.write(text); };";
  const child = spawn(process.execPath, ["--eval", `${frame} process.stdin.once("data", () => { ${script} });`], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  const answers = listenToProcess(child);
  child.stdin.write("go");
  return { answers, exited: once(child, "exit") };
}

test("a process that floods its output is killed, and nothing of it is kept", async () => {
  const { answers, exited } = startRogue(
    `const flood = "x".repeat(1 << 20); for (let i = 0; i < 64; i++) frame(flood);`,
  );
  expect(await answers.next()).toMatchObject({ kind: "ended", tooLarge: true });
  expect((await exited)[1]).toBe("SIGKILL");
});

test("a process that sends an answer without a request is killed", async () => {
  const { answers, exited } = startRogue(`frame("asked"); frame("not asked"); setInterval(() => {}, 1e6);`);
  expect(await answers.next()).toEqual({ kind: "frame", text: "asked" });
  expect((await exited)[1]).toBe("SIGKILL");
  expect(answers.hasEnded()).toBe(true);
  expect(await answers.next()).toMatchObject({ kind: "ended", tooLarge: false });
});

test("a process that ends is reported to every waiting caller", async () => {
  const { answers } = startRogue("process.exit(3);");
  expect(await answers.next()).toEqual({ kind: "ended", reason: "It ended (code 3).", tooLarge: false });
});
