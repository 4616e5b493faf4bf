import { accessSync, constants } from "node:fs";
import path from "node:path";
import { type Browser, chromium } from "playwright-core";

/** The browser that the tests drive, or a message that explains why there is none. */
export type FoundBrowser = { path: string; reason: null } | { path: null; reason: string };

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/** `TOUCHSTONE_BROWSER`, else the first Chromium or Chrome on the PATH. */
export function findBrowser(environment: NodeJS.ProcessEnv = process.env): FoundBrowser {
  const { TOUCHSTONE_BROWSER: named, PATH: searchPath = "" } = environment;
  if (named !== undefined) {
    return isExecutable(named)
      ? { path: named, reason: null }
      : { path: null, reason: `TOUCHSTONE_BROWSER is ${named}, which cannot be executed.` };
  }
  const folders = [...searchPath.split(path.delimiter), "/usr/bin"];
  const found = names.flatMap((name) => folders.map((folder) => path.join(folder, name))).find(isExecutable);
  return found === undefined
    ? { path: null, reason: "No Chromium on the PATH; install one, or name it in TOUCHSTONE_BROWSER." }
    : { path: found, reason: null };
}

/** Starts the browser. Chromium does not sandbox itself as root. */
export function launchBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return path.isAbsolute(file);
  } catch {
    return false;
  }
}
