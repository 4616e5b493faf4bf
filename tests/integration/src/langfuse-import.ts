import { type ChildProcess, execFile } from "node:child_process";
import path from "node:path";
import { keys, type ScriptedLangfuse } from "./scripted-langfuse.ts";
import { nodeEnvironment } from "./service-process.ts";

const cli = path.resolve(import.meta.dirname, "../../../packages/cli/src/main.ts");

/** How `touchstone import langfuse` ended. */
export interface EndedImport {
  /** Null: it was killed. */
  code: number | null;
  stdout: string;
  log: string;
}

/** Arguments that make the command as quick as it can be, with a report as JSON. */
export const quick = ["--json", "--page-size", "100", "--requests-per-minute", "60000"];

/** The variables that name a Langfuse. */
export const accessTo = (langfuse: ScriptedLangfuse) => ({
  LANGFUSE_BASE_URL: langfuse.url,
  LANGFUSE_PUBLIC_KEY: keys.publicKey,
  LANGFUSE_SECRET_KEY: keys.secretKey,
});

/** Starts `touchstone import langfuse` in a folder, which has its journals. */
export function startImport(
  { system, folder }: { system: { url: string; apiKey: string }; folder: string },
  args: readonly string[],
  environment: Record<string, string>,
): { child: ChildProcess; ended: Promise<EndedImport> } {
  const env = { ...nodeEnvironment, TOUCHSTONE_URL: system.url, TOUCHSTONE_API_KEY: system.apiKey, ...environment };
  let onEnded: (ended: EndedImport) => void;
  const ended = new Promise<EndedImport>((resolve) => {
    onEnded = resolve;
  });
  const child = execFile(
    process.execPath,
    [cli, "import", "langfuse", ...args],
    { cwd: folder, env },
    (_, stdout, stderr) => onEnded({ code: child.exitCode, stdout, log: stdout + stderr }),
  );
  return { child, ended };
}
