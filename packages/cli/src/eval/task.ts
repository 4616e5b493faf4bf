import { spawn } from "node:child_process";
import { Console } from "node:console";
import { pathToFileURL } from "node:url";
import type { Task, TaskInput, TaskOutput } from "@touchstone/sdk";
import { Failure } from "../surroundings.ts";
import type { TaskChoice } from "./config.ts";

const outputMaxBytes = 1024 * 1024;
const stderrKept = 2_000;

/** The task of a configuration. A module is loaded now, so that a broken one ends the command before anything is asked. */
export async function openTask(choice: TaskChoice, environment: NodeJS.ProcessEnv): Promise<Task> {
  switch (choice.kind) {
    case "command":
      return (input) => runCommand(choice.command, input, environment);
    case "url":
      return (input) => callUrl(choice.url, input);
    case "module":
      return loadFunction(choice.file, choice.name);
  }
}

async function loadFunction(file: string, name: string): Promise<Task> {
  let loaded: Record<string, unknown>;
  // What the task prints must not be taken for the result of the command.
  globalThis.console = new Console(process.stderr);
  try {
    loaded = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const hint = code === "ERR_UNKNOWN_FILE_EXTENSION" ? " TypeScript needs Node 22.18 or newer." : "";
    throw new Failure(`${file} cannot be loaded: ${message}${hint}`);
  }
  const found = loaded[name];
  if (typeof found !== "function") throw new Failure(`${file} exports no function ${name}.`);
  return found as Task;
}

/** POST `{ query, expected, caseId, runNumber }`; the answer is a text, or JSON with `output`. */
async function callUrl(
  url: string,
  { signal, query, expected, caseId, runNumber }: TaskInput,
): Promise<string | TaskOutput> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query, expected, caseId, runNumber }),
    signal,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} was answered ${response.status}: ${text.slice(0, stderrKept)}`);
  const isJson = response.headers.get("content-type")?.includes("json") === true;
  return isJson ? (JSON.parse(text) as string | TaskOutput) : text;
}

/** Runs a command in a shell: its standard input is the query, its standard output the answer. */
function runCommand(
  command: string,
  { query, questionIndex, runNumber, signal }: TaskInput,
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, {
      shell: true,
      // A separate process group, so that processes started by the shell end with it.
      detached: process.platform !== "win32",
      env: {
        ...environment,
        TOUCHSTONE_QUESTION_INDEX: String(questionIndex),
        TOUCHSTONE_RUN_NUMBER: String(runNumber),
      },
    });
    const stdout: Buffer[] = [];
    let bytes = 0;
    let stderr = "";
    const stop = (error: Error): void => {
      reject(error);
      try {
        if (process.platform === "win32") child.kill("SIGKILL");
        else process.kill(-(child.pid as number), "SIGKILL");
      } catch {
        // It has already exited.
      }
    };
    const onAbort = (): void => stop(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > outputMaxBytes) stop(new RangeError(`The command wrote more than ${outputMaxBytes} bytes.`));
      else stdout.push(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => {
      stderr = (stderr + chunk.toString("utf8")).slice(-stderrKept);
    });
    // A command that does not read its input may exit before the query is written.
    child.stdin.on("error", () => undefined);
    child.stdin.end(query);
    child.once("error", reject);
    child.once("close", (code, ending) => {
      signal.removeEventListener("abort", onAbort);
      if (code === 0) resolve(Buffer.concat(stdout).toString("utf8").trimEnd());
      else reject(commandFailed(code === null ? `was ended by ${ending}` : `ended with code ${code}`, stderr));
    });
  });
}

function commandFailed(ending: string, stderr: string): Error {
  const failure = new Error(`The command ${ending}. ${stderr}`.trim());
  failure.name = "CommandFailed";
  return failure;
}
