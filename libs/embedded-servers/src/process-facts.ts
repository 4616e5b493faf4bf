import { readFile, readlink } from "node:fs/promises";

/**
 * The start time of a process, in clock ticks since boot, or null when there is no such process (or it is a zombie) or
 * the system has no /proc. Together with its id it identifies a process even if ids are reused.
 */
export async function readStartTime(pid: number): Promise<string | null> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  return text === null ? null : parseStartTime(text);
}

/** The start time in a line of /proc/<pid>/stat. The name in parentheses may contain spaces and parentheses. */
export function parseStartTime(line: string): string | null {
  const [state, ...rest] = line.slice(line.lastIndexOf(")") + 2).split(" ");
  return state === "Z" || state === "X" ? null : (rest[18] ?? null);
}

/** The kernel's data about a process. */
export interface ProcessFacts {
  /** Full path, even if the file has been deleted. */
  executable: string;
  workingFolder: string | null;
  arguments: string[];
}

/** Null when there is no such process, or when it is another user's and we have no access. */
export async function readProcessFacts(pid: number): Promise<ProcessFacts | null> {
  const executable = await readlink(`/proc/${pid}/exe`).catch(() => null);
  if (executable === null) return null;
  const [workingFolder, commandLine] = await Promise.all([
    readlink(`/proc/${pid}/cwd`).catch(() => null),
    readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""),
  ]);
  return {
    executable: executable.replace(/ \(deleted\)$/, ""),
    workingFolder,
    arguments: commandLine.split("\0").slice(0, -1),
  };
}
