import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ApiClient, createClient } from "../../integration/src/client.ts";
import { createLargeExports, type LargeExports, type Transport } from "../../integration/src/large-exports.ts";
import { readPeakBytes } from "../../integration/src/peak-memory.ts";
import { type StandaloneProcess, startStandaloneProcess } from "../../integration/src/standalone-process.ts";

const mebibyte = 1024 * 1024;
const exportsAtOnce = 24;
/** The whole process: 200 MiB without any load, 256 MiB of bodies, and two of them decoded. */
const peakMaxBytes = 850 * mebibyte;

const lengths: Transport[] = [
  { isCompressed: false, isChunked: false },
  { isCompressed: true, isChunked: false },
];
const chunks = lengths.map((transport) => ({ ...transport, isChunked: true }));
/** All encodings together; TOUCHSTONE_LARGE_EXPORTS=each tests them one by one. */
const mixed: [how: string, transports: Transport[]] = ["of every kind", [...lengths, ...chunks]];
const each = mixed[1].map((transport): typeof mixed => [JSON.stringify(transport), [transport]]);
const loads = process.env.TOUCHSTONE_LARGE_EXPORTS === "each" ? [...each, mixed] : [mixed];

let home: string;
let standalone: StandaloneProcess;
let client: ApiClient;
let exports: LargeExports;

beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), "touchstone-large-"));
  standalone = await startStandaloneProcess({ home });
  client = createClient(standalone);
  exports = createLargeExports(standalone.url, standalone.apiKey, 16 * mebibyte);
});

afterAll(async () => {
  await standalone?.interrupt();
  await rm(home, { recursive: true, force: true });
});

async function countStored(): Promise<number> {
  const list = await client.send("GET", "/ingest/traces?limit=1&search=large");
  return (list.body as { totalCount: number }).totalCount;
}

test.each(loads)(
  "24 exports of 16 MiB at once, %s, are stored or refused in bounded memory, and small traces are accepted meanwhile",
  async (_how, transports) => {
    const before = await countStored();
    let isOver = false;
    const sendSmall = async (): Promise<number[]> => {
      const statuses: number[] = [];
      while (!isOver) {
        const answer = await client.send("POST", "/ingest/traces", { name: "small", input: "x".repeat(1_000) });
        statuses.push(answer.status);
      }
      return statuses;
    };
    const small = Promise.all([sendSmall(), sendSmall()]);
    const answers = await Promise.all(
      Array.from({ length: exportsAtOnce }, (_export, index) =>
        exports.send(transports[index % transports.length] as Transport),
      ),
    ).finally(() => {
      isOver = true;
    });

    const stored = answers.filter(({ status }) => status === 200);
    expect(stored.length).toBeGreaterThan(0);
    for (const { status, retryAfter, text } of answers.filter((answer) => !stored.includes(answer))) {
      expect([status, retryAfter]).toEqual([429, "1"]);
      expect(text).toMatch(/^\{"message":"ingest queue full - .+ shed, retry with backoff"\}$/);
    }
    expect(new Set((await small).flat())).toEqual(new Set([201]));
    expect(await countStored()).toBe(before + stored.length);
    expect(await readPeakBytes(standalone.pid)).toBeLessThan(peakMaxBytes);
  },
  180_000,
);
