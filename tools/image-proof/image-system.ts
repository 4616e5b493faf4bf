import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { type ServiceName, serviceNames } from "@touchstone/contracts";
import { findFreePort } from "@touchstone/embedded-servers";
import { waitUntil } from "../../tests/integration/src/wait-until.ts";
import { type ComposeFile, parseEnvironmentFile, readComposeFile } from "../deploy/compose-file.ts";
import { startComposeServers } from "../deploy/compose-servers.ts";
import { repositoryRoot } from "../repository-files.ts";
import type { BuiltImage } from "./build-image.ts";

const execute = promisify(execFile);
const folder = path.join(repositoryRoot, ".cache/image/system");
const servicePort = 4700;
/** Large enough for every address that is used at one time. */
const hostsBytes = 4_096;
const logMax = 20_000;

/** A running container: one service from the image. */
export interface Container {
  service: ServiceName;
  address: string;
  /** Asks it to stop like `docker stop`, and returns its exit code. */
  stop(): Promise<number | null>;
  log(): string;
  /** What the kernel says about its process. */
  readFacts(): Promise<ContainerFacts>;
}

export interface ContainerFacts {
  isConfined: boolean;
  /** The largest resident memory so far, in bytes. */
  peakBytes: number;
}

export interface ImageSystem {
  /** Addresses of the gateways, which stay the same. */
  gateways: readonly string[];
  containers: readonly Container[];
  /** Stops a container, starts another in its place at a new address, waits until it is ready; returns the exit code. */
  replace(index: number): Promise<number | null>;
  /** The ends of all logs. */
  logs(): string;
  stop(): Promise<void>;
}

/**
 * Starts `replicas` of every service from the image as `deploy/compose.yaml` does: with the values of
 * `deploy/init-env.sh` and `settings`, a read-only root, user 1000, no capabilities. A hosts file replaces the name server
 * of Docker: it has the addresses of all running containers, each on an address of the loopback network.
 */
export async function startImageSystem(
  image: BuiltImage,
  { replicas, settings }: { replicas: number; settings: Readonly<Record<string, string>> },
): Promise<ImageSystem> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await execute("sh", [path.join(repositoryRoot, "deploy/init-env.sh"), folder]);
  const variables = { ...parseEnvironmentFile(await readFile(path.join(folder, ".env"), "utf8")), ...settings };
  const compose = await readComposeFile();
  const servers = await startComposeServers(compose, variables, { redis: true });
  const containers: Container[] = [];
  let exited = "";
  let started = 0;

  async function writeHosts(added: readonly Pick<Container, "service" | "address">[] = []): Promise<void> {
    const lines = [...containers, ...added].map(({ service, address }) => `${new URL(address).hostname} ${service}\n`);
    // One write of a constant size: a reader finds no incomplete file.
    await writeFile(path.join(folder, "hosts"), lines.join("").padEnd(hostsBytes, "\n"), { flag: "r+" });
  }

  async function start(service: ServiceName, gateway?: string): Promise<Container> {
    started += 1;
    const host = `127.${64 + (process.pid % 64)}.${started >> 7}.${1 + (started & 127)}`;
    const address = gateway ?? `http://${host}:${servicePort}`;
    const { hostname, port } = new URL(address);
    const environment = { ...servers.environmentOf(service), SERVICE_HOST: hostname, PORT: port };
    await writeHosts([{ service, address }]);
    return runContainer({ image, compose, service, address, environment });
  }

  const logs = (): string =>
    [exited, ...containers.map(({ service, log }) => `${service}: ${log()}`), servers.log()].join("\n").slice(-60_000);
  const stop = async (): Promise<void> => {
    await Promise.all(containers.splice(0).map((container) => container.stop()));
    await servers.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await writeFile(path.join(folder, "hosts"), "");
    await writeFile(path.join(folder, "nsswitch.conf"), "passwd: files\ngroup: files\nhosts: files\n");
    const gateways = await Promise.all(
      Array.from({ length: replicas }, async () => `http://127.0.0.1:${await findFreePort()}`),
    );
    for (const service of serviceNames) {
      for (const gateway of gateways) {
        containers.push(await start(service, service === "gateway" ? gateway : undefined));
      }
    }
    await Promise.all(containers.map(awaitReady)).catch((cause) => {
      throw new Error(logs(), { cause });
    });
    return {
      gateways,
      containers,
      async replace(index) {
        const old = containers[index] as Container;
        const code = await old.stop();
        if (code !== 0) exited += `${old.service} exited with ${code}: ${old.log()}\n`;
        containers.splice(index, 1);
        await writeHosts();
        const next = await start(old.service, old.service === "gateway" ? old.address : undefined);
        containers.splice(index, 0, next);
        await awaitReady(next);
        return code;
      },
      logs,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function awaitReady({ service, address }: Container): Promise<void> {
  await waitUntil(`${service} is ready`, async () => (await fetch(`${address}/health/ready`)).ok, {
    timeoutMs: 180_000,
  });
}

async function runContainer(options: {
  image: BuiltImage;
  compose: ComposeFile;
  service: ServiceName;
  address: string;
  environment: Record<string, string>;
}): Promise<Container> {
  const { config, root } = options.image;
  const stated = options.compose.services[options.service];
  const command = [...config.Entrypoint, ...(stated?.command ?? config.Cmd)];
  const own = Object.fromEntries(config.Env.map((line) => line.split(/=(.*)/s).slice(0, 2)));
  const child = spawn(
    "bwrap",
    [
      ...["--ro-bind", root, "/", "--dev", "/dev", "--proc", "/proc", "--perms", "1777", "--tmpfs", "/tmp"],
      ...["hosts", "nsswitch.conf"].flatMap((name) => ["--ro-bind", path.join(folder, name), `/etc/${name}`]),
      ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--new-session", "--die-with-parent", "--info-fd", "3"],
      // Only to become the user of the image; setpriv drops them.
      ...["--cap-drop", "ALL", ...["SETUID", "SETGID", "SETPCAP"].flatMap((name) => ["--cap-add", `CAP_${name}`])],
      ...["--chdir", config.WorkingDir, "setpriv", "--reuid", config.User, "--regid", config.User, "--clear-groups"],
      ...["--inh-caps=-all", "--bounding-set=-all", "--no-new-privs", ...command],
    ],
    { env: { ...own, ...options.environment }, stdio: ["ignore", "pipe", "pipe", "pipe"] },
  );
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      log = (log + String(chunk)).slice(-logMax);
    });
  }
  const info = JSON.parse(await text(child.stdio[3] as Readable)) as { "child-pid": number };
  return {
    service: options.service,
    address: options.address,
    log: () => log,
    stop: () => stopContainer(child, info["child-pid"]),
    readFacts: async () => readFacts(await findService(info["child-pid"])),
  };
}

async function stopContainer(child: ChildProcess, init: number): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, "exit");
    process.kill(await findService(init), "SIGTERM");
    await exited;
  }
  return child.exitCode;
}

/** The process of the service: the one child of its container's first process. */
async function findService(init: number): Promise<number> {
  const pid = Number(await readFile(`/proc/${init}/task/${init}/children`, "utf8"));
  // 0 would be this process's own group.
  if (!(pid > 1)) throw new Error(`The container ${init} has no process.`);
  return pid;
}

async function readFacts(pid: number): Promise<ContainerFacts> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const mounts = await readFile(`/proc/${pid}/mountinfo`, "utf8");
  const has = (line: string): boolean => status.includes(`\n${line}\n`);
  const capabilities = ["Inh", "Prm", "Eff", "Bnd", "Amb"].map((set) => `Cap${set}:\t${"0".repeat(16)}`);
  const user = "1000\t1000\t1000\t1000";
  return {
    isConfined:
      [...capabilities, `Uid:\t${user}`, `Gid:\t${user}`, "NoNewPrivs:\t1"].every(has) &&
      /^\S+ \S+ \S+ \S+ \/ ro[, ]/m.test(mounts),
    peakBytes: Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024,
  };
}
