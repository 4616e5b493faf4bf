import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { startScriptedLlm } from "@touchstone/testkit/scripted-llm";
import { repositoryRoot } from "../repository-files.ts";

const run = promisify(execFile);

/** How long a sample may take, on a slow machine. */
export const sampleDeadlineMs = 180_000;

/** A provider of models that rates every answer 9. */
export async function startSampleJudge() {
  const llm = await startScriptedLlm();
  llm.answerWith({ kind: "verdict", rating: 9, extra: { expected: "2", rationale: "It is." } });
  return { settings: { OPENAI_BASE_URL: llm.baseUrl, OPENAI_API_KEY: "sk-scripted" }, stop: () => llm.stop() };
}

/** Options of a process that runs a sample in a folder, by this Node. */
export function sampleOptions(node: string, folder: string, system: { url: string; apiKey: string }) {
  // The command of a sample is run by the same Node.
  const PATH = `${path.dirname(node)}:${process.env.PATH}`;
  const env = { TOUCHSTONE_URL: system.url, TOUCHSTONE_API_KEY: system.apiKey, PATH };
  return { cwd: folder, timeout: sampleDeadlineMs, env };
}

/** Runs the samples of the SDK and of the command line, as the packages in the folder were installed. Throws if one prints something else. */
export async function runSamples(node: string, options: ReturnType<typeof sampleOptions>): Promise<void> {
  const evaluated = await run(node, ["evaluate.js"], options);
  if (!evaluated.stdout.includes(" 9 ")) throw new Error(`The sample of the SDK printed:\n${evaluated.stdout}`);
  const touchstone = path.join(options.cwd, "node_modules/.bin/touchstone");
  await run(node, [touchstone, "doctor"], options);
  const { stdout } = await run(node, [touchstone, "eval"], options);
  if (!stdout.includes("Gate: passed.")) throw new Error(`The sample of the command line printed:\n${stdout}`);
}

/** The samples of the READMEs, and the agent and the cases that they name. */
export async function writeSamples(folder: string): Promise<void> {
  const sample = async (name: string, language: string, index = 0): Promise<string> => {
    const page = await readFile(path.join(repositoryRoot, "packages", name, "README.md"), "utf8");
    const codes = page.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, "g"));
    const code = [...codes][index]?.[1];
    if (code === undefined) throw new Error(`The README of packages/${name} has no sample in ${language}.`);
    return code;
  };
  const jestTest = await sample("sdk", "js", 2);
  const files = {
    "jest.config.js": await sample("sdk", "js", 1),
    "capitals.test.js": jestTest,
    "strict.test.js": jestTest.replace("toBeRated(7),", 'toBeRated(10), subject: { displayName: "strict" },'),
    "evaluate.js": await sample("sdk", "js"),
    "evaluate-typed.ts": await sample("sdk", "js"),
    "touchstone.yaml": await sample("cli", "yaml"),
    "agent.js": "export const agent = (query) => query.toUpperCase();",
    "agent.d.ts": "export const agent: (query: string) => string;",
    "agent.mjs": "for await (const chunk of process.stdin) process.stdout.write(chunk);",
    "cases.jsonl": '{ "query": "What is the capital of Peru?", "expected": "Lima" }\n',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
}
