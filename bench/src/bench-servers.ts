import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { openHome, startPostgres } from "@touchstone/embedded-servers";
import { type Standalone, startStandalone } from "./standalone.ts";

/** A durable PostgreSQL and a standalone on it; the bare yardsticks use the same server. */
export interface BenchServers {
  databaseUrl: string;
  standalone: Standalone;
}

/** Both on empty folders, which are deleted afterwards. */
export async function withBenchServers(work: (servers: BenchServers) => Promise<void>): Promise<void> {
  await withBenchPostgres(async (databaseUrl) => {
    const standaloneHome = await mkdtemp(path.join(tmpdir(), "touchstone-bench-"));
    const standalone = await startStandalone({ home: standaloneHome, settings: { SERVICE_DB_URL: databaseUrl } });
    try {
      await work({ databaseUrl, standalone });
    } finally {
      await standalone.stop();
      await rm(standaloneHome, { recursive: true, force: true });
    }
  });
}

/** Only the PostgreSQL, on an empty folder that is deleted afterwards. */
export async function withBenchPostgres(work: (databaseUrl: string) => Promise<void>): Promise<void> {
  const home = await mkdtemp(path.join(tmpdir(), "touchstone-bench-"));
  const opened = await openHome({ folder: home, onProgress: () => {} });
  try {
    const postgres = await startPostgres({ home: opened, onEvent: () => {} });
    await work(postgres.url);
  } finally {
    const { servers } = opened.folders;
    await opened.close();
    await rm(servers, { recursive: true, force: true });
    await rm(home, { recursive: true, force: true });
  }
}
