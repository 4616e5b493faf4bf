import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const folder = path.resolve(import.meta.dirname, "../python");
const cache = path.resolve(import.meta.dirname, "../../../.cache");

const installDeadlineMs = 180_000;
const programDeadlineMs = 180_000;

/** A Python that can import what `python/requirements.txt` names, or the reason why there is none. */
export type FoundPython = { executable: string; reason: null } | { executable: null; reason: string };

/**
 * Installs the packages once for each version of Python and of the list; later calls take milliseconds. `npm run newest-clients` has the
 * newest packages installed instead, in its own folder.
 */
export async function installPython(): Promise<FoundPython> {
  try {
    const { stdout: version } = await run("python3", ["-c", "import sys; print('%d.%d' % sys.version_info[:2])"]);
    const { TOUCHSTONE_NEWEST_CLIENTS: newest } = process.env;
    const pinned = path.join(folder, "requirements.txt");
    const digest = createHash("sha256")
      .update(await readFile(pinned))
      .digest("hex");
    const environment =
      newest === undefined
        ? path.join(cache, `python-${version.trim()}`, digest.slice(0, 16))
        : path.join(newest, `python-${version.trim()}`);
    const packages = newest === undefined ? ["--requirement", pinned] : ["langfuse"];
    if (!existsSync(environment)) await install(packages, environment);
    return { executable: path.join(environment, "bin/python"), reason: null };
  } catch (error) {
    const { message, stderr = "" } = error as Error & { stderr?: string };
    return { executable: null, reason: `Python 3 with venv, or its packages, are missing: ${stderr || message}` };
  }
}

/** What is interrupted leaves nothing at the place of the environment. Its programs in `bin` are not used, so it may be moved. */
async function install(packages: readonly string[], environment: string): Promise<void> {
  await mkdir(path.dirname(environment), { recursive: true });
  const made = await mkdtemp(`${environment}-`);
  try {
    const python = path.join(made, "bin/python");
    const quietly = ["--quiet", "--no-input", "--disable-pip-version-check", "--retries", "3"];
    // Few of the modules are used; each is compiled when it is imported.
    const request = ["install", ...quietly, "--no-compile", "--only-binary", ":all:", ...packages];
    if (await hasPip()) {
      await run("python3", ["-m", "venv", "--without-pip", made], { timeout: installDeadlineMs });
      await run("python3", ["-m", "pip", "--python", python, ...request], { timeout: installDeadlineMs });
    } else {
      await run("python3", ["-m", "venv", made], { timeout: installDeadlineMs });
      await run(python, ["-m", "pip", ...request], { timeout: installDeadlineMs });
    }
    await rename(made, environment);
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    // Another process was faster.
    if (!existsSync(environment)) throw error;
  }
}

/** Whether there is a pip that installs into an environment without one, which takes half as long to make. */
async function hasPip(): Promise<boolean> {
  return run("python3", ["-c", "import pip; assert int(pip.__version__.split('.')[0]) >= 23"]).then(
    () => true,
    () => false,
  );
}

/** Runs a program of the folder `python` to its end; throws if it fails. */
export async function runPython(
  executable: string,
  program: string,
  settings: Readonly<Record<string, string>>,
): Promise<{ stdout: string; stderr: string }> {
  const { PATH = "" } = process.env;
  return run(executable, [path.join(folder, program)], { env: { PATH, ...settings }, timeout: programDeadlineMs });
}
