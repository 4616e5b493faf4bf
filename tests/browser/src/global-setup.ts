import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { startStandaloneProcess } from "../../integration/src/standalone-process.ts";
import { findBrowser } from "./find-browser.ts";
import { waitForDashboard } from "./wait-for-dashboard.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The sample project's installation, without accounts. */
    demo: { url: string; apiKey: string };
    browserPath: string;
  }
}

/** Starts one installation with the sample project. All test files share it and must not change it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const browser = findBrowser();
  if (browser.path === null) throw new Error(`Browser tests need a browser. ${browser.reason}`);
  const home = await mkdtemp(path.join(tmpdir(), "touchstone-browser-"));
  const system = await startStandaloneProcess({ home, args: ["--demo"], deadlineMs: 240_000 });
  const stop = async () => {
    await system.interrupt();
    await rm(home, { recursive: true, force: true });
  };
  try {
    await waitForDashboard(system.url);
  } catch (error) {
    await stop();
    throw error;
  }
  project.provide("demo", { url: system.url, apiKey: system.apiKey });
  project.provide("browserPath", browser.path);
  return stop;
}
