import { spawn } from "node:child_process";
import { serviceNames } from "@touchstone/contracts";
import { findFreePort } from "@touchstone/testkit";
import { nodeEnvironment } from "../../tests/integration/src/service-process.ts";
import { repositoryRoot } from "../repository-files.ts";
import { type ComposeFile, readComposeFile } from "./compose-file.ts";
import { endProcess, startComposeServers } from "./compose-servers.ts";

/** The running processes and their log. */
export interface ComposeProcesses {
  /** Address of the gateway. */
  gateway: string;
  log(): string;
  stop(): Promise<void>;
}

/**
 * Starts the services of `deploy/compose.yaml` as processes: each with the environment of its container, on the servers
 * of {@link startComposeServers}. Only hosts and ports differ, and there is no Redis.
 */
export async function startComposeProcesses(): Promise<ComposeProcesses> {
  const compose = await readComposeFile();
  const servers = await startComposeServers(compose, makeSecrets(compose), { redis: false });
  const cleanups: (() => Promise<unknown>)[] = [servers.stop];
  const stop = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  };
  let log = "";
  try {
    const ports = new Map<string, number>();
    for (const service of serviceNames) ports.set(service, await findFreePort());
    const relocate = (value: string): string =>
      [...ports].reduce((text, [service, port]) => text.replace(`${service}:4700`, `127.0.0.1:${port}`), value);
    for (const service of serviceNames) {
      const stated = Object.entries(servers.environmentOf(service)).map(([name, value]) => [name, relocate(value)]);
      const place = { SERVICE_HOST: "127.0.0.1", PORT: String(ports.get(service)), SERVICE_REDIS_URL: "" };
      const child = spawn("node", [`services/${service}/src/main.ts`], {
        cwd: repositoryRoot,
        env: { ...Object.fromEntries(stated), ...nodeEnvironment, ...place },
        stdio: ["ignore", "pipe", "pipe"],
      });
      cleanups.push(() => endProcess(child));
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (text) => {
          log += String(text);
        });
      }
    }
    return { gateway: `http://127.0.0.1:${ports.get("gateway")}`, log: () => log + servers.log(), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A value for every variable that the file requires. */
function makeSecrets(compose: ComposeFile): Record<string, string> {
  const names = [...JSON.stringify(compose).matchAll(/\$\{(\w+):\?/g)].map(([, name = ""]) => name);
  return Object.fromEntries(names.map((name) => [name, `value-of-${name.toLowerCase()}-which-is-long-enough`]));
}
