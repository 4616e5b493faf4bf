import { type ChildProcessByStdio, spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { EvaluationLimits, SandboxArgument } from "./child/protocol.ts";

const childFolder = fileURLToPath(new URL("./child", import.meta.url));

/**
 * Whom sandbox processes run as when the judge is root. Nobody else's number, above all not that of the built-in
 * PostgreSQL (61047), whose files it could read; below 65536, so that it exists inside user namespaces too.
 */
const sandboxUid = 61_048;

/**
 * Limits of the kernel, in the units of a shell's `ulimit`: no core dump, no file written, few descriptors, 60 s of CPU
 * (a process is retired long before; this ends one that spins after the judge was killed), 1 GB of data. What a system
 * does not know is left out.
 */
const ulimits = ["-c 0", "-f 0", "-n 64", "-t 60", "-d 1048576"];

const launcher = `${ulimits.map((limit) => `ulimit ${limit} 2>/dev/null`).join("; ")}; unset PWD OLDPWD; exec "$@"`;

export type ConfinedProcess = ChildProcessByStdio<Writable, Readable, Readable>;

/** Whether there is a lower user to become. */
export function canDropUser(): boolean {
  return process.getuid?.() === 0;
}

/**
 * Starts a sandbox process: an empty environment, no descriptor but the three pipes, the given working folder, the
 * kernel's limits, Node's permission model (no file but its own code, no processes, threads, addons) and, if asked, a user
 * that owns nothing, which it becomes when it has read its code: that may lie where only root may look. The permission
 * model of Node 24 leaves the network alone; only the interpreter keeps code from it.
 */
export async function startConfined(
  limits: EvaluationLimits,
  { folder, dropUser }: { folder: string; dropUser: boolean },
): Promise<ConfinedProcess> {
  const { timeoutMs, memoryBytes } = limits;
  const becomes = dropUser ? sandboxUid : null;
  const argument: SandboxArgument = { timeoutMs, memoryBytes, strayFds: await findInheritableFds(), becomes };
  const flags = [
    "--permission",
    ...readableFolders().map((readable) => `--allow-fs-read=${readable}`),
    "--disallow-code-generation-from-strings",
    "--max-old-space-size=64",
  ];
  const command = [process.execPath, ...flags, path.join(childFolder, "main.ts"), JSON.stringify(argument)];
  return spawn("/bin/sh", ["-c", launcher, "sh", ...command], {
    cwd: folder,
    env: {},
    // A session of its own: Ctrl-C in the terminal reaches the judge, which stops its processes in order.
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
}

/** The folders that hold the process's own code: its sources, and the interpreter's packages where they are linked and where they are. */
function readableFolders(): string[] {
  const own = createRequire(path.join(childFolder, "main.ts"));
  const core = own.resolve("quickjs-emscripten-core");
  const files = [
    core,
    own.resolve("@jitl/quickjs-wasmfile-release-sync"),
    createRequire(core).resolve("@jitl/quickjs-ffi-types"),
  ];
  const links = own.resolve.paths("quickjs-emscripten-core") ?? [];
  const linkFolder = links.find((candidate) => candidate.endsWith(path.join("judge", "node_modules")));
  return [...new Set([childFolder, ...(linkFolder ? [linkFolder] : []), ...files.map(packagesFolder)])];
}

/** The innermost `node_modules` a file is in. */
function packagesFolder(file: string): string {
  const name = `${path.sep}node_modules${path.sep}`;
  return file.slice(0, file.lastIndexOf(name) + name.length - 1);
}

const closeOnExec = 0o2000000;

/**
 * Descriptors beyond the standard three that every process we start would inherit. Node opens none like that, but who
 * started us may have left some. Empty where there is no /proc.
 */
async function findInheritableFds(): Promise<number[]> {
  const fds = (await readdir("/proc/self/fdinfo").catch(() => [])).map(Number).filter((fd) => fd > 2);
  const inheritable = await Promise.all(
    fds.map(async (fd) => {
      const facts = await readFile(`/proc/self/fdinfo/${fd}`, "utf8").catch(() => "");
      const flags = /^flags:\s*([0-7]+)$/m.exec(facts)?.[1];
      return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
    }),
  );
  return fds.filter((_, index) => inheritable[index]);
}
