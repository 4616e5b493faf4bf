import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { repositoryFiles } from "../repository-files.ts";

/** One import that a rule of `.dependency-cruiser.cjs` forbids. For a cycle, `to` is the whole cycle. */
export interface Violation {
  rule: string;
  from: string;
  to: string;
  comment: string;
}

export interface Cruise {
  violations: Violation[];
  /** TypeScript files that exist and were not read: the rules were not checked for them. */
  unread: string[];
  modulesRead: number;
}

/** The part of dependency-cruiser's JSON report that we use. */
interface Report {
  modules: { source: string; dependencies: unknown[] }[];
  summary: {
    violations: { from: string; to: string; rule: { name: string }; cycle?: { name: string }[] }[];
    ruleSetUsed: { forbidden: { name: string; comment?: string }[] };
  };
}

const folders = ["apps", "bench", "libs", "packages", "services", "tests", "tools"];

/** Reads every import below `root` and checks it against the rules there. */
export async function cruiseImports(root: string): Promise<Cruise> {
  // Listed first: a file that appears during the read is not an error.
  const files = await repositoryFiles(root);
  const report = await runDependencyCruiser(root);
  const read = new Set(report.modules.map(({ source }) => source));
  const comments = new Map(report.summary.ruleSetUsed.forbidden.map(({ name, comment }) => [name, comment ?? ""]));
  return {
    violations: report.summary.violations.map(({ from, to, rule, cycle }) => ({
      rule: rule.name,
      from,
      to: cycle?.map(({ name }) => name).join(" -> ") ?? to,
      comment: comments.get(rule.name) ?? "",
    })),
    unread: files.filter((file) => file.endsWith(".ts") && folders.includes(firstFolder(file)) && !read.has(file)),
    modulesRead: read.size,
  };
}

async function runDependencyCruiser(root: string): Promise<Report> {
  const executable = path.join(import.meta.dirname, "../node_modules/dependency-cruiser/bin/dependency-cruiser.mjs");
  const args = [executable, "--config", ".dependency-cruiser.cjs", "--output-type", "json", ...folders];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: root,
    maxBuffer: 256 * 1024 * 1024,
  });
  return JSON.parse(stdout) as Report;
}

function firstFolder(file: string): string {
  return file.slice(0, file.indexOf("/"));
}
