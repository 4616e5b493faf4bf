import { type ChildProcessByStdio, spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { EvaluationLimits, SandboxArgument } from "./child/protocol.ts";

const childFolder = fileURLToPath(new URL("./child", import.meta.url));

/**
 * The user of sandbox processes when the judge is root. It must be unused, above all not that of the built-in PostgreSQL
 * (61047), whose files it could read; below 65536, so that it exists inside user namespaces too.
 */
const sandboxUid = 61_048;

/**
 * Limits of the kernel, in the units of a shell's `ulimit`: no core dump, no file writes, few descriptors, 60 s of CPU (a
 * process is replaced long before; this ends one that spins after the judge was killed), 1 GB of data. Limits that a system
 * does not support are skipped.
 */
const ulimits = ["-c 0", "-f 0", "-n 64", "-t 60", "-d 1048576"];

const launcher = `${ulimits.map((limit) => `ulimit ${limit} 2>/dev/null`).join("; ")}; unset PWD OLDPWD; exec "$@"`;

export type ConfinedProcess = ChildProcessByStdio<Writable, Readable, Readable>;

/** True if the process can switch to an unprivileged user. */
export function canDropUser(): boolean {
  return process.getuid?.() === 0;
}

/**
 * Starts a sandbox process with an empty environment, no descriptors but the three pipes, the given working folder, the
 * kernel's limits, and Node's permission model (no files but its own code, no processes, threads, addons). If requested, it
 * switches to an unprivileged user after reading its code, which may be readable only by root. The permission model of Node 24
 * does not restrict the network; only the interpreter does.
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
  const child = spawn("/bin/sh", ["-c", launcher, "sh", ...command], {
    cwd: folder,
    env: {},
    // A separate session: Ctrl-C in the terminal reaches only the judge, which stops its processes in order.
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  // Without a listener, an error that is emitted before the caller listens would end the judge.
  child.on("error", () => {});
  return child;
}

/** The folders of the process's own code: its sources, and the interpreter's packages at their links and real paths. */
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

/** The innermost `node_modules` that contains a file. */
function packagesFolder(file: string): string {
  const name = `${path.sep}node_modules${path.sep}`;
  return file.slice(0, file.lastIndexOf(name) + name.length - 1);
}

const closeOnExec = 0o2000000;

/**
 * Descriptors beyond the standard three that child processes would inherit. Node opens none like that, but this process's
 * parent may have left some. Empty without /proc.
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
