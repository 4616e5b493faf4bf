import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { findFreePort } from "@touchstone/testkit";
import { listProcessTree, signalTree } from "../../chaos/src/process-tree.ts";
import { type StandaloneProcess, startStandaloneProcess } from "../../integration/src/standalone-process.ts";
import { startHostileJudge } from "./judge/hostile-judge.ts";
import { type Observer, startObserver } from "./observer/observer.ts";
import { type Address, openTenant, type Setting } from "./tenants.ts";

/** A standalone under attack, and the well-behaved project in it. */
export interface Installation {
  address: Address;
  /** The id of its Node process. */
  readonly pid: number;
  observer: Observer;
  /** Whether its Node process is running. */
  isAlive(): Promise<boolean>;
  /** Restarts it on the same data and port, whatever its state. */
  restart(): Promise<void>;
  /** Discards the judge's recorded questions. */
  forgetPrompts(): void;
  /** Its last output. */
  logTail(): string;
  /** Ends everything that was started and removes its data. */
  stop(): Promise<void>;
}

/** The longest start on a shared machine. */
const startMaxMs = 300_000;
const logTailMax = 1_000;

/** Rate limits are off: an attacker can have any number of addresses. */
const settings = {
  SERVICE_RATE_LIMIT: "off",
  SERVICE_DASHBOARD: "off",
  SERVICE_LOG_LEVEL: "error",
  SERVICE_ALLOW_PRIVATE_WEBHOOKS: "true",
  OPENAI_API_KEY: "sk-attack",
};
const accounts = { SERVICE_AUTH: "enabled", SERVICE_MULTI_TENANT: "true" };

/** Starts a new installation on a free port and an empty folder. */
export async function startInstallation(setting: Setting, seed: number): Promise<Installation> {
  const cleanups: (() => unknown)[] = [];
  let stopping: Promise<void> | null = null;
  const stop = (): Promise<void> => {
    stopping ??= (async () => {
      for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
    })();
    return stopping;
  };
  try {
    const home = await mkdtemp(path.join(tmpdir(), "touchstone-attack-"));
    cleanups.push(() => rm(home, { recursive: true, force: true }));
    const judge = await startHostileJudge(seed);
    cleanups.push(() => judge.stop());
    const port = await findFreePort();
    const metricsToken = randomBytes(16).toString("hex");
    const begin = (): Promise<StandaloneProcess> =>
      startStandaloneProcess({
        home,
        deadlineMs: startMaxMs,
        settings: {
          ...settings,
          ...(setting === "organizations" && accounts),
          PORT: String(port),
          SERVICE_METRICS_TOKEN: metricsToken,
          OPENAI_BASE_URL: judge.baseUrl,
        },
      });
    let running = await begin();
    const isAlive = async (): Promise<boolean> => (await listProcessTree(running.pid)).length > 0;
    cleanups.push(async () => {
      // An installation that died left its servers running; the next start on its folder ends them. Ctrl-C reached it
      // as well.
      const hasDied = !(await isAlive()) && !running.output().includes("Stopping ...");
      if (hasDied) running = await begin();
      await running.interrupt();
    });
    const address: Address = { url: running.url, setting, defaultKey: running.apiKey };
    const { apiKey } = await openTenant(address, "probe");
    const observer = startObserver({ url: running.url, apiKey, pid: running.pid, metricsToken });
    cleanups.push(() => observer.stop());
    return {
      address,
      get pid() {
        return running.pid;
      },
      observer,
      isAlive,
      async restart() {
        if (await isAlive()) await signalTree(running.pid, "SIGKILL");
        running = await begin();
        await observer.watch(running.pid);
      },
      forgetPrompts: () => judge.forget(),
      logTail: () => running.output().slice(-logTailMax),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
