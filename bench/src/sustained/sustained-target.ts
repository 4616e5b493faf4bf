import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { startScriptedLlm } from "@touchstone/testkit/scripted-llm";
import { Client } from "pg";
import type { BenchTarget } from "../graded-batches.ts";
import { startStandalone } from "../standalone.ts";
import type { Version } from "./version.ts";

/** A standalone on an empty folder, with a provider that judges at once. Disposing of it deletes everything. */
export interface SustainedTarget extends AsyncDisposable {
  target: BenchTarget;
  apiKey: string;
  /** The first of its processes. */
  pid: number;
  /** The position in PostgreSQL's log: how many bytes were ever written to it. */
  readWalBytes(): Promise<number>;
  /** May be called twice. */
  stop(): Promise<void>;
}

/** `profilesTo`: where Node writes its CPU profiles when it stops. */
export async function openSustainedTarget(
  version: Version,
  { profilesTo }: { profilesTo?: string } = {},
): Promise<SustainedTarget> {
  await using cleanups = new AsyncDisposableStack();
  const home = await mkdtemp(path.join(tmpdir(), "touchstone-bench-"));
  // The servers' account must be able to enter it; then everything is inside.
  await chmod(home, 0o755);
  cleanups.defer(() => rm(home, { recursive: true, force: true }));
  const llm = await startScriptedLlm();
  cleanups.defer(() => llm.stop());
  const standalone = await startStandalone({
    home,
    ...(profilesTo === undefined ? { repository: version.folder } : { profilesTo }),
    settings: {
      SERVICE_DASHBOARD: "off",
      OPENAI_BASE_URL: llm.baseUrl,
      OPENAI_API_KEY: "sk-bench",
      SERVICE_JUDGE_CONCURRENCY: "80",
    },
  });
  cleanups.defer(() => standalone.stop());
  const opened = cleanups.move();
  return {
    target: { address: standalone.address, headersFor: () => `x-api-key: ${standalone.apiKey}\r\n` },
    apiKey: standalone.apiKey,
    pid: standalone.pid,
    readWalBytes: () => readWalBytes(home),
    stop: () => standalone.stop(),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function readWalBytes(home: string): Promise<number> {
  const sql = "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as value";
  return await readNumber(home, "postgres", sql);
}

/** The `value` that a statement reads from the running PostgreSQL of a home, as its superuser. */
export async function readNumber(home: string, database: string, sql: string): Promise<number> {
  const processFile = await readFile(path.join(home, "postgres", "postmaster.pid"), "utf8");
  const client = new Client({
    host: "127.0.0.1",
    port: Number(processFile.split("\n")[3]),
    user: "postgres",
    password: (await readFile(path.join(home, "secrets", "postgres-superuser"), "utf8")).trim(),
    database,
  });
  await client.connect();
  try {
    const { rows } = await client.query<{ value: string }>(sql);
    return Number(rows[0]?.value);
  } finally {
    await client.end();
  }
}
