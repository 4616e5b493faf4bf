import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { access, constants, mkdir, readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { hashSources } from "./hash-sources.ts";

/** The repository with the sources and their builder. */
const ownRoot = path.resolve(import.meta.dirname, "../../../..");

/** A build takes some five seconds on a busy machine. */
const buildMaxMs = 300_000;
/** The number of newest outputs that are kept: this one, and the one that a Touchstone from before the upgrade still serves. */
const keptMax = 2;
/** The age at which an incomplete folder belongs to an interrupted build. */
const abandonedAfterMs = 600_000;

/** The built dashboard: its present or future folder. */
export interface Dashboard {
  folder: string;
  /** Resolves when the folder is complete; rejects with a message if the build failed. Null: it existed already. */
  building: Promise<void> | null;
  /** Ends a running build. */
  stop(): Promise<void>;
}

export interface DashboardOptions {
  isWanted: boolean;
  /** The operator's own folder; null: it is built. */
  givenFolder: string | null;
  homeFolder: string;
  onProgress: (message: string) => void;
  /** Another checkout, for tests. */
  root?: string;
}

/**
 * Finds the dashboard built from these sources, or builds it in another process while the servers start. Outputs are kept in the
 * checkout, or in the home folder if the checkout is not writable. Null if no dashboard is configured.
 */
export async function openDashboard(options: DashboardOptions): Promise<Dashboard | null> {
  const { isWanted, givenFolder, homeFolder, onProgress, root = ownRoot } = options;
  if (!isWanted) return null;
  if (givenFolder !== null) return found(givenFolder);
  const ofCheckout = path.join(root, ".cache/dashboard");
  const name = await hashSources(root).catch((error: Error) => error);
  // Missing sources do not prevent the start: the pages show the error.
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
  // Created with the mode of a home folder, in case the home does not exist yet.
  await mkdir(path.dirname(folder), { recursive: true, mode: 0o700 });
  const child = spawn(process.execPath, [path.join(root, "tools/build-dashboard.ts"), "--out", folder], {
    stdio: ["ignore", "ignore", "pipe"],
    // The build receives none of the operator's secrets.
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

/** Keeps the newest outputs and removes interrupted builds. Failed removals are ignored. */
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
