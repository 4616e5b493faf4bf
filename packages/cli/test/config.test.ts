import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { readConfig } from "../src/eval/config.ts";
import { readCsv } from "../src/eval/csv.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "touchstone-config-"));
  return () => rm(folder, { recursive: true, force: true });
});

async function read(yaml: string, files: Record<string, string> = {}) {
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  const file = path.join(folder, "touchstone.yaml");
  await writeFile(file, yaml);
  return readConfig(file);
}

describe("touchstone.yaml", () => {
  test("names a dataset, a task, and how often and how the answers are judged", async () => {
    const config = await read(`
      dataset: weather
      task: node agent.mjs
      runs: 3
      timeout: 20
      subject: { displayName: weather-agent }
      judge: { evaluationSettingsId: abc }
      gate: { method: paired, failUnder: 7 }`);

    expect(config).toMatchObject({
      dataset: "weather",
      task: { kind: "command", command: "node agent.mjs" },
      runs: 3,
      timeoutMs: 20_000,
      subject: { displayName: "weather-agent" },
      judge: { evaluationSettingsId: "abc" },
      gate: { method: "paired", failUnder: 7 },
    });
  });

  test.for([
    ["http://localhost:3000/ask", { kind: "url", url: "http://localhost:3000/ask" }],
    ['"./agent.ts#answer"', { kind: "module", file: "agent.ts", name: "answer" }],
    ['{ module: "agent.mjs#answer" }', { kind: "module", file: "agent.mjs", name: "answer" }],
    ["./agent.sh --quick", { kind: "command", command: "./agent.sh --quick" }],
  ] as const)("takes the task %s", async ([stated, expected]) => {
    const { task } = await read(`dataset: weather\ntask: ${stated}`);
    expect(task).toEqual("file" in expected ? { ...expected, file: path.join(folder, expected.file) } : expected);
  });

  test.for([
    ["cases.csv", "query,expected_results\nRain?,Yes\n"],
    ["cases.jsonl", '{"query":"Rain?","expected":"Yes"}\n\n'],
    ["cases.json", '[{"query":"Rain?","expected_results":"Yes"}]'],
  ] as const)("reads the cases of %s", async ([name, text]) => {
    const { dataset } = await read(`{ dataset: ${name}, task: x, judge: { criteria: Be right. } }`, { [name]: text });
    expect(dataset).toEqual({
      name,
      cases: [{ query: "Rain?", expected: "Yes" }],
      evaluationCriteria: "Be right.",
    });
  });

  test.for([
    ["dataset: [", "is not YAML"],
    ["task: x", "dataset must be a name, an id or a file."],
    ["{ dataset: a, task: 1 }", "task must have members"],
    ["{ dataset: a, task: x, runz: 2 }", "The file does not know runz"],
    ["{ dataset: a, task: x, runs: two }", "runs must be a number."],
    ["{ dataset: a, task: x, gate: { failunder: 7 } }", "gate does not know failunder"],
    ["{ dataset: a, task: { module: agent.ts } }", "A module is named as ./agent.ts#function."],
    ["{ dataset: a, task: x, judge: { criteria: y } }", "judge.criteria is for datasets from files"],
  ] as const)("is refused: %s", async ([yaml, said]) => {
    await expect(read(yaml)).rejects.toThrow(said);
  });
});

describe("a CSV file", () => {
  test("has fields in quotation marks, with commas, line breaks and quotation marks in them", () => {
    expect(readCsv('\uFEFFquery,expected\r\n"a, ""b""\nc",d\r\n,\r\ne,\r\n')).toEqual([
      { query: 'a, "b"\nc', expected: "d" },
      { query: "e" },
    ]);
  });

  test("with a quotation mark out of place is refused with its row", () => {
    expect(() => readCsv('query\nfine\na"b')).toThrow("Row 3 has a quotation mark out of place.");
  });
});
