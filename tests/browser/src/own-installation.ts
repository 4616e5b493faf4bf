import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { keepFreePort } from "../../integration/src/free-port.ts";
import { type StandaloneProcess, startStandaloneProcess } from "../../integration/src/standalone-process.ts";
import { waitForDashboard } from "./wait-for-dashboard.ts";

/** An installation without the sample project, which its tests may change, stop and start again. */
export interface OwnInstallation {
  url: string;
  /** Of the default project; empty where there is none. */
  apiKey: string;
  /** Stops it as Ctrl-C does. */
  stop(): Promise<void>;
  /** Starts it again on the same port with the same data. */
  start(): Promise<void>;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

type Settings = Record<string, string>;

/** With these settings, or with those that its address asks for. */
export async function startOwnInstallation(
  settings: Settings | ((publicUrl: string) => Promise<Settings>) = {},
): Promise<OwnInstallation> {
  const home = await mkdtemp(path.join(tmpdir(), "touchstone-browser-"));
  const port = await keepFreePort();
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
