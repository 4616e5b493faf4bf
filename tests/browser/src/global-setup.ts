import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { startStandaloneProcess } from "../../integration/src/standalone-process.ts";
import { type DemoProject, readDemoProject } from "./demo-project.ts";
import { findBrowser } from "./find-browser.ts";
import { waitForDashboard } from "./wait-for-dashboard.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The installation with the sample project, without accounts. Its key is the sample's: only `tests/browser/src` uses it. */
    installation: { url: string; apiKey: string };
    sample: DemoProject;
    operatorsToken: string;
    browserPath: string;
  }
}

const operatorsToken = "the-token-of-the-operator-0123456789";

/** Starts one installation with the sample project, for all test files. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const browser = findBrowser();
  if (browser.path === null) throw new Error(`Browser tests need a browser. ${browser.reason}`);
  const home = await mkdtemp(path.join(tmpdir(), "touchstone-browser-"));
  const settings = { SERVICE_ADMIN_TOKEN: operatorsToken };
  const system = await startStandaloneProcess({ home, settings, args: ["--demo"], deadlineMs: 600_000 });
  const stop = async () => {
    await system.interrupt();
    await rm(home, { recursive: true, force: true });
  };
  try {
    await waitForDashboard(system.url);
    project.provide("sample", await readDemoProject(system));
  } catch (error) {
    await stop();
    throw error;
  }
  project.provide("installation", { url: system.url, apiKey: system.apiKey });
  project.provide("operatorsToken", operatorsToken);
  project.provide("browserPath", browser.path);
  return stop;
}
