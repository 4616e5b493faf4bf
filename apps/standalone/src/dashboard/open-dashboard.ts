import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { access, constants, mkdir, readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { hashSources } from "./hash-sources.ts";

/** Where the sources and their builder are. */
const ownRoot = path.resolve(import.meta.dirname, "../../../..");

/** A build takes some five seconds on a busy machine. */
const buildMaxMs = 300_000;
/** The newest outputs that are kept: this one, and the one a Touchstone of before the upgrade still serves. */
const keptMax = 2;
/** A folder of a build that was ended in the middle. */
const abandonedAfterMs = 600_000;

/** The built dashboard: where it is, or will be. */
export interface Dashboard {
  folder: string;
  /** Settles when the folder is whole; rejects with a sentence when it could not be built. Null: it was there. */
  building: Promise<void> | null;
  /** Ends a build that is at work. */
  stop(): Promise<void>;
}

export interface DashboardOptions {
  isWanted: boolean;
  /** The operator's own; null: it is built. */
  givenFolder: string | null;
  homeFolder: string;
  onProgress: (message: string) => void;
  /** Another checkout, for tests. */
  root?: string;
}

/**
 * Finds the dashboard as it was built from these sources, or has it built by another process while the servers start.
 * Outputs are kept in the checkout; in the home folder where the checkout cannot be written. Null when none is wanted.
 */
export async function openDashboard(options: DashboardOptions): Promise<Dashboard | null> {
  const { isWanted, givenFolder, homeFolder, onProgress, root = ownRoot } = options;
  if (!isWanted) return null;
  if (givenFolder !== null) return found(givenFolder);
  const ofCheckout = path.join(root, ".cache/dashboard");
  const name = await hashSources(root).catch((error: Error) => error);
  // Sources that are not there are no reason to refuse the start: the pages say what is wrong.
  if (name instanceof Error) return { ...found(ofCheckout), building: failing(name) };
  if (existsSync(path.join(ofCheckout, name))) return found(path.join(ofCheckout, name));
  const outputs = (await isWritable(ofCheckout)) ? ofCheckout : path.join(homeFolder, "dashboard");
  const folder = path.join(outputs, name);
  if (existsSync(folder)) return found(folder);
  onProgress(
    outputs === ofCheckout
      ? "Building the dashboard."
      : `Building the dashboard into ${outputs}, because ${ofCheckout} cannot be written.`,
  );
  const aborted = new AbortController();
  const building = build({ root, folder, signal: aborted.signal }).then(() => removeOld(outputs, name));
  // Reported by the gateway, which may not have started yet.
  building.catch(() => undefined);
  return {
    folder,
    building,
    async stop() {
      aborted.abort();
      await building.catch(() => undefined);
    },
  };
}

function found(folder: string): Dashboard {
  return { folder, building: null, stop: async () => undefined };
}

function failing(error: Error): Promise<never> {
  const failed = Promise.reject(error);
  failed.catch(() => undefined);
  return failed;
}

interface Building {
  root: string;
  folder: string;
  signal: AbortSignal;
}

async function isWritable(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

async function build({ root, folder, signal }: Building): Promise<void> {
  // Made here with the mode a home folder has, should it be the first thing in it.
  await mkdir(path.dirname(folder), { recursive: true, mode: 0o700 });
  const child = spawn(process.execPath, [path.join(root, "tools/build-dashboard.ts"), "--out", folder], {
    stdio: ["ignore", "ignore", "pipe"],
    // Nothing of the operator's secrets goes along.
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    signal,
    timeout: buildMaxMs,
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString("utf8")).slice(0, 4_000);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(said.trim() || "The build was ended.");
}

/** Keeps the newest outputs, and nothing of builds that were ended in the middle. What cannot be removed stays. */
async function removeOld(outputs: string, current: string): Promise<void> {
  const names = (await readdir(outputs)).filter((name) => /^[0-9a-f]{64}/.test(name) && name !== current);
  const entries = await Promise.all(
    names.map(async (name) => {
      const { mtimeMs } = await stat(path.join(outputs, name)).catch(() => ({ mtimeMs: Date.now() }));
      return { name, mtimeMs, isWhole: /^[0-9a-f]{64}$/.test(name) };
    }),
  );
  const old = entries
    .filter(({ isWhole }) => isWhole)
    .toSorted((one, other) => other.mtimeMs - one.mtimeMs)
    .slice(keptMax - 1);
  const abandoned = entries.filter(({ isWhole, mtimeMs }) => !isWhole && Date.now() - mtimeMs > abandonedAfterMs);
  for (const { name } of [...old, ...abandoned]) {
    await rm(path.join(outputs, name), { recursive: true, force: true }).catch(() => undefined);
  }
}
