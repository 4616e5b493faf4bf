import { readFile } from "node:fs/promises";
import path from "node:path";
import type { DatasetChoice, GateOptions, Grading, StatedCase } from "@touchstone/sdk";
import { parse } from "yaml";
import { withoutMark } from "../lines.ts";
import { Failure } from "../surroundings.ts";
import { readCsv } from "./csv.ts";

/** Where the answers come from. */
export type TaskChoice =
  | { kind: "command"; command: string }
  | { kind: "url"; url: string }
  | { kind: "module"; file: string; name: string };

/** `touchstone.yaml`, checked. Paths are absolute. */
export interface EvalConfig {
  url: string | undefined;
  dataset: DatasetChoice;
  task: TaskChoice;
  runs: number | undefined;
  concurrency: number | undefined;
  retries: number | undefined;
  timeoutMs: number | undefined;
  subject: Record<string, unknown> | undefined;
  judge: Grading | undefined;
  gate: GateOptions | null;
}

const members = ["url", "dataset", "task", "runs", "concurrency", "retries", "timeout", "subject", "judge", "gate"];
const gateMembers: Record<keyof GateOptions, "number" | "boolean" | "string"> = {
  failUnder: "number",
  method: "string",
  noRegression: "boolean",
  tolerance: "number",
  minEffect: "number",
  strict: "boolean",
  baseline: "string",
  scorer: "string",
  metric: "string",
  record: "boolean",
  caller: "string",
  maxSkipped: "number",
};
const judgeMembers = ["criteria", "evaluationSettingsId", "scorerGroupId", "additionalScorerIds", "verdictMode"];

/** Reads a configuration. Throws a {@link Failure} that names the file and the mistake. */
export async function readConfig(file: string): Promise<EvalConfig> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`${file} cannot be read: ${error.code ?? error.message}.`);
  });
  let stated: unknown;
  try {
    stated = parse(text);
  } catch (error) {
    throw new Failure(`${file} is not YAML: ${(error as Error).message}`);
  }
  try {
    return await checkConfig(readMap(stated, "The file", members), path.dirname(path.resolve(file)));
  } catch (error) {
    if (error instanceof Failure) throw new Failure(`${file}: ${error.message}`);
    throw error;
  }
}

async function checkConfig(stated: Record<string, unknown>, folder: string): Promise<EvalConfig> {
  const judge = stated.judge === undefined ? {} : readMap(stated.judge, "judge", judgeMembers);
  const { criteria, ...grading } = judge;
  const timeout = readOptional(stated, "timeout", "number");
  return {
    url: readOptional(stated, "url", "string"),
    dataset: await readDataset(stated.dataset, folder, criteria),
    task: readTask(stated.task, folder),
    runs: readOptional(stated, "runs", "number"),
    concurrency: readOptional(stated, "concurrency", "number"),
    retries: readOptional(stated, "retries", "number"),
    timeoutMs: timeout === undefined ? undefined : timeout * 1_000,
    subject: stated.subject === undefined ? undefined : readMap(stated.subject, "subject"),
    judge: grading as Grading,
    gate: stated.gate === undefined ? null : readGate(stated.gate),
  };
}

function readTask(stated: unknown, folder: string): TaskChoice {
  const only = 'task must be a command, an address, "./agent.ts#function", or one of { command, url, module }.';
  const chosen =
    typeof stated === "string" ? { [kindOf(stated)]: stated } : readMap(stated, "task", ["command", "url", "module"]);
  const [[kind, value] = ["", ""], ...more] = Object.entries(chosen);
  if (typeof value !== "string" || value === "" || more.length > 0) throw new Failure(only);
  if (kind === "command") return { kind, command: value };
  if (kind === "url") return { kind, url: value };
  const at = value.lastIndexOf("#");
  if (at < 1 || at === value.length - 1) throw new Failure("A module is named as ./agent.ts#function.");
  return { kind: "module", file: path.resolve(folder, value.slice(0, at)), name: value.slice(at + 1) };
}

function kindOf(task: string): "command" | "url" | "module" {
  if (/^https?:\/\//.test(task)) return "url";
  return /^\.{0,2}\/\S+\.[cm]?[jt]s#\w+$/.test(task) ? "module" : "command";
}

async function readDataset(stated: unknown, folder: string, criteria: unknown): Promise<DatasetChoice> {
  if (typeof stated !== "string" || stated === "") throw new Failure("dataset must be a name, an id or a file.");
  const kind = /\.(jsonl|ndjson|json|csv)$/.exec(stated)?.[1];
  if (kind === undefined) {
    if (criteria !== undefined) throw new Failure("judge.criteria is for datasets from files: others have their own.");
    return stated;
  }
  const read = await readFile(path.resolve(folder, stated), "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`The dataset ${stated} cannot be read: ${error.code ?? error.message}.`);
  });
  const text = withoutMark(read);
  if (criteria !== undefined && typeof criteria !== "string") throw new Failure("judge.criteria must be a text.");
  return { name: path.basename(stated), cases: readRows(text, kind, stated), evaluationCriteria: criteria };
}

function readRows(text: string, kind: string, file: string): StatedCase[] {
  const read = (): unknown => {
    if (kind === "csv") return readCsv(text);
    if (kind === "json") return JSON.parse(text);
    return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [JSON.parse(line) as unknown]));
  };
  let rows: unknown;
  try {
    rows = read();
  } catch (error) {
    throw new Failure(`The dataset ${file} cannot be read: ${(error as Error).message}`);
  }
  if (!Array.isArray(rows) || rows.length === 0) throw new Failure(`The dataset ${file} has no cases.`);
  return rows.map((row: unknown, index) => {
    const { expected_results, judge_guideline, retrieval_context, ...stated } = readMap(
      row,
      `Case ${index + 1} of ${file}`,
    );
    if (typeof stated.query !== "string" || stated.query === "") {
      throw new Failure(`Case ${index + 1} of ${file} has no query.`);
    }
    // The names of columns are those of the API's own import.
    return {
      ...(expected_results !== undefined && { expected: expected_results as string }),
      ...(judge_guideline !== undefined && { judgeGuideline: judge_guideline }),
      ...(retrieval_context !== undefined && { retrievalContext: retrieval_context }),
      ...(stated as StatedCase),
    };
  });
}

function readGate(stated: unknown): GateOptions {
  const gate = readMap(stated, "gate", Object.keys(gateMembers));
  for (const [name, type] of Object.entries(gateMembers)) readOptional(gate, name, type, "gate.");
  return gate as GateOptions;
}

function readMap(value: unknown, name: string, known?: readonly string[]): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Failure(`${name} must have members${known === undefined ? "" : `: ${known.join(", ")}`}.`);
  }
  const unknown = Object.keys(value).filter((member) => known !== undefined && !known.includes(member));
  if (unknown.length > 0)
    throw new Failure(`${name} does not know ${unknown.join(", ")}; it takes ${known?.join(", ")}.`);
  return value as Record<string, unknown>;
}

interface TypeNames {
  string: string;
  number: number;
  boolean: boolean;
}

function readOptional<Type extends keyof TypeNames>(
  map: Record<string, unknown>,
  name: string,
  type: Type,
  prefix = "",
): TypeNames[Type] | undefined {
  const value = map[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== type) throw new Failure(`${prefix}${name} must be a ${type}.`);
  return value as TypeNames[Type];
}
