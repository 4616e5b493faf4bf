import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { findFreePort } from "@touchstone/testkit";
import { Client } from "pg";
import { type StandaloneProcess, startStandaloneProcess } from "../../integration/src/standalone-process.ts";
import { waitUntil } from "../../integration/src/wait-until.ts";
import type { AuditedSystem } from "./audited-load.ts";
import { createProject } from "./create-project.ts";
import { listProcessTree, signalTree } from "./process-tree.ts";

/** A standalone as `npm start` runs it, with its own PostgreSQL and nats-server. */
export interface StandaloneSystem extends AuditedSystem {
  /** kill -9 of all its processes, its servers included. */
  killEverything(): Promise<void>;
  /** kill -9 of only its PostgreSQL or nats-server, as soon as it runs; the standalone restarts it. */
  killPostgres(): Promise<void>;
  killNats(): Promise<void>;
  /** Whether the current process still runs. */
  isRunning(): Promise<boolean>;
  /** Blocks its event loop permanently. */
  blockLoop(): Promise<void>;
  /** Asks it to stop like Ctrl-C; returns the exit code. */
  interrupt(): Promise<number | null>;
  /** The last line of PostgreSQL's log, once PostgreSQL has ended. */
  readLastWordOfPostgres(): Promise<string>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function startStandaloneSystem(): Promise<StandaloneSystem> {
  const home = await mkdtemp(path.join(tmpdir(), "touchstone-chaos-home-"));
  const port = await findFreePort();
  const begin = (): Promise<StandaloneProcess> =>
    startStandaloneProcess({
      home,
      settings: {
        PORT: String(port),
        SERVICE_LOG_LEVEL: "warn",
        SERVICE_STOP_SECONDS: "5",
        NODE_OPTIONS: `--import=${path.join(import.meta.dirname, "block-on-signal.mjs")}`,
      },
    });
  let running = await begin();

  async function findServer(name: "postgres" | "nats-server"): Promise<{ pid: number; args: string[] }> {
    let found: { pid: number; args: string[] } | undefined;
    await waitUntil(`a ${name} runs`, async () => {
      for (const pid of await listProcessTree(running.pid)) {
        const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
        const [executable, ...args] = commandLine.split("\0");
        // PostgreSQL's other processes have titles like "postgres: touchstone: ...".
        if (executable?.endsWith(`/${name}`)) found = { pid, args };
      }
      return found !== undefined;
    });
    return found as { pid: number; args: string[] };
  }

  return {
    urls: [running.url],
    createProject: (name) => createProject(running, name),
    async settle() {
      await waitUntil("it is ready", async () => (await fetch(`${running.url}/health/ready`)).ok, {
        timeoutMs: 60_000,
      });
    },
    logTails: () => running.output().slice(-10_000),
    async countAnnounced(projectId) {
      const password = (await readFile(path.join(home, "secrets", "postgres-superuser"), "utf8")).trim();
      const { args } = await findServer("postgres");
      const postgresPort = Number(args.find((argument) => argument.startsWith("port="))?.slice(5));
      const client = new Client({
        host: "127.0.0.1",
        port: postgresPort,
        user: "postgres",
        password,
        database: "touchstone",
      });
      try {
        await client.connect();
        const { rows } = await client.query<{ trace_id: string; n: number }>(
          "select trace_id, count(*)::int as n from monitor.seen_traces where project_id = $1 group by 1",
          [projectId],
        );
        return new Map(rows.map((row) => [row.trace_id, row.n]));
      } finally {
        await client.end();
      }
    },
    async killEverything() {
      await signalTree(running.pid, "SIGKILL");
    },
    async killPostgres() {
      await signalTree((await findServer("postgres")).pid, "SIGKILL");
    },
    async killNats() {
      await signalTree((await findServer("nats-server")).pid, "SIGKILL");
    },
    async isRunning() {
      return (await listProcessTree(running.pid)).length > 0;
    },
    async blockLoop() {
      process.kill(running.pid, "SIGUSR2");
      await waitUntil("its event loop is blocked", async () => running.output().includes("blocking the event loop"));
    },
    interrupt: () => running.interrupt(),
    async readLastWordOfPostgres() {
      const pidFile = path.join(home, "postgres", "postmaster.pid");
      await waitUntil("PostgreSQL has ended", async () =>
        readFile(pidFile).then(
          () => false,
          () => true,
        ),
      );
      const log = await readFile(path.join(home, "logs", "postgres.log"), "utf8");
      return log.trim().split("\n").at(-1) ?? "";
    },
    async start() {
      running = await begin();
    },
    async stop() {
      await running.interrupt();
      await rm(home, { recursive: true, force: true });
    },
  };
}
