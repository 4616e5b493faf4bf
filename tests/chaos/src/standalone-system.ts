import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "pg";
import { keepFreePort } from "../../integration/src/free-port.ts";
import { type StandaloneProcess, startStandaloneProcess } from "../../integration/src/standalone-process.ts";
import { waitUntil } from "../../integration/src/wait-until.ts";
import type { AuditedSystem } from "./audited-load.ts";
import { createProject } from "./create-project.ts";
import { listProcessTree, signalTree } from "./process-tree.ts";

/** A standalone as `npm start` runs it, with its own PostgreSQL and nats-server. */
export interface StandaloneSystem extends AuditedSystem {
  /** kill -9 of everything it runs, its servers included. */
  killEverything(): Promise<void>;
  /** kill -9 of its PostgreSQL alone, which it starts again by itself. */
  killPostgres(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function startStandaloneSystem(): Promise<StandaloneSystem> {
  const home = await mkdtemp(path.join(tmpdir(), "touchstone-chaos-home-"));
  const port = await keepFreePort();
  const begin = (): Promise<StandaloneProcess> =>
    startStandaloneProcess({ home, settings: { PORT: String(port), SERVICE_LOG_LEVEL: "warn" } });
  let running = await begin();

  /** Its postmaster, and the port that it listens on. */
  async function findPostgres(): Promise<{ pid: number; port: number }> {
    for (const pid of await listProcessTree(running.pid)) {
      const [executable, ...args] = (await readFile(`/proc/${pid}/cmdline`, "utf8")).split("\0");
      const given = args.find((argument) => argument.startsWith("port="));
      if (executable?.endsWith("/postgres") && given !== undefined) return { pid, port: Number(given.slice(5)) };
    }
    throw new Error("no PostgreSQL runs");
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
      const { port: postgresPort } = await findPostgres();
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
      await signalTree((await findPostgres()).pid, "SIGKILL");
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
