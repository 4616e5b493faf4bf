import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TaskInput } from "@touchstone/sdk";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { openTask } from "../src/eval/task.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "touchstone-task-"));
  return () => rm(folder, { recursive: true, force: true });
});

const input = (more: Partial<TaskInput> = {}): TaskInput => ({
  caseId: "case-3",
  questionIndex: 3,
  query: "Rain?",
  expected: null,
  question: {},
  runNumber: 2,
  signal: new AbortController().signal,
  ...more,
});

describe("a command", () => {
  const open = (command: string) => openTask({ kind: "command", command }, { PATH: process.env.PATH });

  test("reads the question and its number, and its standard output is the answer", async () => {
    const task = await open('echo "$(cat) $TOUCHSTONE_QUESTION_INDEX $TOUCHSTONE_RUN_NUMBER"; echo');
    expect(await task(input())).toBe("Rain? 3 2");
  });

  test("that fails gives its exit code and what it wrote", async () => {
    const task = await open("echo no model >&2; exit 4");
    await expect(task(input())).rejects.toThrow("The command ended with code 4. no model");
  });

  test("is ended with what it started when its time is over", async () => {
    const file = path.join(folder, "pid");
    const deadline = new AbortController();
    const task = await open(`sleep 600 & echo $! > ${file}; wait`);
    const answered = Promise.resolve(task(input({ signal: deadline.signal }))).catch((error: unknown) => error);
    await vi.waitUntil(async () => (await readFile(file, "utf8").catch(() => "")) !== "", { timeout: 60_000 });
    deadline.abort(new Error("too late"));

    expect(await answered).toEqual(new Error("too late"));
    const pid = Number(await readFile(file, "utf8"));
    await vi.waitUntil(() => !isRunning(pid), { timeout: 60_000 });
  });
});

describe("an address", () => {
  test("receives the question as JSON, and answers with a text or with JSON", async () => {
    const server = createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      if (request.url === "/text") response.end(text);
      else if (request.url === "/json") response.setHeader("content-type", "application/json").end('{"output":"Yes."}');
      else response.writeHead(500).end("no model");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const at = (name: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}`;
    const ask = async (name: string) => (await openTask({ kind: "url", url: at(name) }, {}))(input());

    expect(JSON.parse((await ask("text")) as string)).toEqual({
      query: "Rain?",
      expected: null,
      caseId: "case-3",
      runNumber: 2,
    });
    expect(await ask("json")).toEqual({ output: "Yes." });
    await expect(ask("broken")).rejects.toThrow("was answered 500: no model");
  });
});

describe("a function of a module", () => {
  const open = async (text: string) => {
    const file = path.join(folder, "agent.ts");
    await writeFile(file, text);
    return openTask({ kind: "module", file, name: "answer" }, {});
  };

  test("is called with the case", async () => {
    const task = await open("export const answer = ({ query }: { query: string }) => query.toLowerCase();");
    expect(await task(input())).toBe("rain?");
  });

  test("that does not load, or is missing, ends the command before anything is asked", async () => {
    await expect(open('throw new Error("no settings"); export const answer = 1;')).rejects.toThrow("no settings");
    await rm(path.join(folder, "agent.ts"));
    folder = await mkdtemp(path.join(folder, "again-"));
    await expect(open("export const other = () => 1;")).rejects.toThrow("exports no function answer");
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
