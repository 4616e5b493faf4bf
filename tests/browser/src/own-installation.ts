import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { findFreePort } from "@touchstone/testkit";
import { type ApiClient, createClient } from "../../integration/src/client.ts";
import { type StandaloneProcess, startStandaloneProcess } from "../../integration/src/standalone-process.ts";
import { waitForDashboard } from "./wait-for-dashboard.ts";

/** An installation without the sample project. Its tests may change, stop and restart it. */
export interface OwnInstallation {
  url: string;
  /** The key of the default project; empty if there is none. */
  apiKey: string;
  /** Has that key. */
  client: ApiClient;
  /** Stops it like Ctrl-C. */
  stop(): Promise<void>;
  /** Restarts it on the same port with the same data. */
  start(): Promise<void>;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

type Settings = Record<string, string>;

/** With these settings, or with settings computed from its address. */
export async function startOwnInstallation(
  settings: Settings | ((publicUrl: string) => Promise<Settings>) = {},
): Promise<OwnInstallation> {
  const home = await mkdtemp(path.join(tmpdir(), "touchstone-browser-"));
  const port = await findFreePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const asked = typeof settings === "function" ? await settings(publicUrl) : settings;
  const options = { home, settings: { PORT: String(port), SERVICE_PUBLIC_URL: publicUrl, ...asked } };
  let running: StandaloneProcess | null = await startStandaloneProcess(options);
  const { url, apiKey } = running;
  const stop = async (): Promise<void> => {
    await running?.interrupt();
    running = null;
  };
  await waitForDashboard(url);
  return {
    url,
    apiKey,
    client: createClient({ url, apiKey }),
    stop,
    async start() {
      running = await startStandaloneProcess(options);
    },
    async remove() {
      await stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}
