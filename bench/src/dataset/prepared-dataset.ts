import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openHome, startPostgres } from "@touchstone/embedded-servers";
import { openHttpConnection } from "../http-connection.ts";
import { startStandalone } from "../standalone.ts";
import { readNumber } from "../sustained/sustained-target.ts";
import { loadingSettings, multiplyTraces } from "./multiply-traces.ts";
import { exportLargeTrace, exportSeedTraces, largeTraceName, spansPerTrace } from "./seed-traces.ts";

const repository = path.resolve(import.meta.dirname, "../../..");
const cache = path.join(repository, ".cache", "bench");
const projects = 20;
const settleDeadlineMs = 120_000;
const postingsDeadlineMs = 3_600_000;
/** The newest texts have no postings yet: a block has up to so many. */
const blockTexts = 8_192;

/** A standalone's folder with the data set of the read benches. */
export interface PreparedDataset {
  home: string;
  /** Copied root traces; the seed is additional. */
  roots: number;
  /** How many of them, the newest, can be searched for. */
  searched: number;
  /** Key and id of the project with half of the data set. */
  large: { apiKey: string; id: string };
  /** The same for one with a few thousand traces. */
  small: { apiKey: string; id: string };
}

/**
 * The data set of this many root traces with four children each: stored under .cache, and recreated when the schema or
 * the code that makes it has changed.
 */
export async function prepareDataset({
  roots,
  searched,
}: Pick<PreparedDataset, "roots" | "searched">): Promise<PreparedDataset> {
  const folder = path.join(cache, searched === roots ? `roots-${roots}` : `roots-${roots}-searched-${searched}`);
  const home = path.join(folder, "home");
  const ready = path.join(folder, "ready.json");
  const version = await versionOfDataset();
  const kept = await readFile(ready, "utf8").then(
    (text) => JSON.parse(text) as PreparedDataset & { version: string; servers: string },
    () => null,
  );
  if (kept?.version === version) return kept;
  if (kept !== null) await rm(kept.servers, { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });

  const startedMs = performance.now();
  const report = (what: string): void =>
    console.log(`  ${((performance.now() - startedMs) / 1000).toFixed(0).padStart(4)} s  ${what}`);
  console.log(`Loading ${roots} root traces with ${spansPerTrace - 1} children each (kept in ${folder})`);
  const named = await storeSeed(home, roots);
  report("the seed is stored by the system itself");
  const opened = await openHome({ folder: home, onProgress: () => {} });
  const { servers } = opened.folders;
  try {
    const postgres = await startPostgres({ home: opened, onEvent: () => {}, settings: loadingSettings });
    await multiplyTraces(
      {
        databaseUrl: postgres.url,
        roots,
        searched,
        largeProject: named.large.id,
        smallProject: named.small.id,
        otherProjects: named.others,
      },
      report,
    );
  } finally {
    await opened.close();
  }
  report("copied");
  await storePostings(home);
  report("the system has stored the postings of the search texts; ready");
  const prepared: PreparedDataset = { home, roots, searched, large: named.large, small: named.small };
  await writeFile(ready, JSON.stringify({ ...prepared, version, servers }));
  return prepared;
}

interface NamedProjects {
  large: { apiKey: string; id: string };
  small: { apiKey: string; id: string };
  others: string[];
}

/** Sends the seed over the API as agents would, and waits until everything about it is derived. */
async function storeSeed(home: string, roots: number): Promise<NamedProjects> {
  const standalone = await startStandalone({ home });
  try {
    const key = { "x-api-key": standalone.apiKey };
    const create = async (name: string): Promise<{ apiKey: string; id: string }> => {
      const response = await fetch(`${standalone.address}/api/v1/projects`, {
        method: "POST",
        headers: { ...key, "content-type": "application/json" },
        body: JSON.stringify({ name }),
      });
      const { project } = (await response.json()) as { project: { _id: string; apiKey: string } };
      return { apiKey: project.apiKey, id: project._id };
    };
    const small = await create("bench small");
    const others: string[] = [];
    for (let made = 2; made < projects; made += 1) others.push((await create(`bench ${made}`)).id);
    const listed = (await (await fetch(`${standalone.address}/api/v1/projects`, { headers: key })).json()) as {
      projects: { _id: string; isDefault: boolean }[];
    };
    const large = { apiKey: standalone.apiKey, id: listed.projects.find((one) => one.isDefault)?._id as string };

    const traces = Math.min(2_000, Math.max(100, Math.floor(roots / 20)));
    const connection = await openHttpConnection(standalone.address, {
      ...key,
      "content-type": "application/x-protobuf",
    });
    const send = async (body: Buffer): Promise<void> => {
      const status = await connection.post("/api/v1/otel/v1/traces", body);
      if (status !== 200) throw new Error(`The seed was answered ${status}.`);
    };
    for await (const body of exportSeedTraces({ traces, endMs: Date.now() })) await send(body);
    await send(await exportLargeTrace(Date.now()));
    const reader = await openHttpConnection(standalone.address, key);
    await untilFound(reader.get, largeTraceName);
    connection.close();
    reader.close();
    return { large, small, others };
  } finally {
    await standalone.stop();
  }
}

/** The last trace can be searched for: everything before it is derived, too. */
async function untilFound(get: (path: string) => Promise<string>, name: string): Promise<void> {
  const deadline = performance.now() + settleDeadlineMs;
  while (performance.now() < deadline) {
    const { totalCount } = JSON.parse(await get(`/api/v1/ingest/traces?limit=1&search=${name}`)) as {
      totalCount: number;
    };
    if (totalCount === 1) return;
    await sleep(500);
  }
  throw new Error("The seed was not derived in time.");
}

/** Waits until the running system has stored the postings of all full blocks of search texts. */
async function storePostings(home: string): Promise<void> {
  const missing = `
    select pg_sequence_last_value('ingest.search_docs_seq_seq') - coalesce(max(end_seq), 0) as value
    from ingest.search_blocks`;
  const standalone = await startStandalone({ home });
  try {
    const deadline = performance.now() + postingsDeadlineMs;
    while ((await readNumber(home, "touchstone", missing)) > blockTexts) {
      if (performance.now() > deadline) throw new Error("The postings of the search texts were not stored in time.");
      await sleep(1_000);
    }
  } finally {
    await standalone.stop();
  }
}

/** Changes with the schema and with the code that makes the data set. */
async function versionOfDataset(): Promise<string> {
  const ingest = path.join(repository, "services/ingest");
  const folders = [path.join(ingest, "migrations"), path.join(ingest, "src/search"), import.meta.dirname];
  const hash = createHash("sha256");
  for (const folder of folders) {
    for (const name of (await readdir(folder)).sort())
      hash.update(name).update(await readFile(path.join(folder, name)));
  }
  return hash.digest("hex");
}
