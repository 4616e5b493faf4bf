/**
 * Replaces ingest's group commit in a test (see lying-ingest.ts) and acknowledges before it commits: every batch is
 * answered at once and written half a second later. The audit of acknowledged writes must detect this.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { honestGroupCommit } from "./lying-ingest.ts";

interface Job {
  rows: readonly { id: string; agentId: string | null }[];
}

interface Options {
  write(jobs: readonly Job[], writer: number): Promise<unknown>;
}

const honest = (await import(pathToFileURL(honestGroupCommit).href)) as {
  writerCount: number;
  createGroupCommit(options: Options): unknown;
};

export const writerCount = honest.writerCount;

export function createGroupCommit(options: Options): unknown {
  return honest.createGroupCommit({
    ...options,
    async write(jobs, writer) {
      void sleep(500).then(() => options.write(jobs, writer).catch(() => undefined));
      return jobs.map(({ rows }) => ({
        status: "fulfilled",
        value: rows.map(({ id, agentId }) => ({ id, agentId, deduped: false })),
      }));
    },
  });
}
