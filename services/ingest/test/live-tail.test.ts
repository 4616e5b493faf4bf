import { setTimeout as sleep } from "node:timers/promises";
import { limits } from "@touchstone/contracts";
import { systemClock, uuidv7 } from "@touchstone/service-kit";
import { expect, test } from "vitest";
import { createEventIds } from "../src/live/event-ids.ts";
import { createLiveTail, type LiveTail, type LiveTailOptions } from "../src/live/live-tail.ts";
import type { TailRow } from "../src/live/tail-store.ts";
import { silentLogger } from "./ingest-database.ts";

const projectId = uuidv7(Date.now());
const eventIds = createEventIds("a secret of thirty-two characters!");

const everything = { framework: null, source: "all" } as unknown as Parameters<LiveTail["open"]>[0]["filter"];

/** A tail over these rows, which may become more; each is displayed with this many bytes. */
function openTail(rows: readonly TailRow[], itemBytes: number, show?: LiveTailOptions["show"]) {
  const horizon = (): bigint => BigInt(rows.length + 1);
  return createLiveTail({
    store: {
      readState: async () => ({
        horizon: horizon(),
        nextXid: horizon(),
        begunBefore: horizon(),
        running: new Set(),
        lastSeq: horizon(),
      }),
      readAfter: async ({ after, limit }) =>
        rows.filter(({ xid, seq }) => xid > after.xid || (xid === after.xid && seq > after.seq)).slice(0, limit),
    },
    traces: {
      readRoots: async function* (_projectId: string, ids: readonly string[]) {
        yield ids.map((id) => ({ id, framework: null, source: null }));
      } as unknown as LiveTailOptions["traces"]["readRoots"],
      matchRoots: async () => new Set(),
    },
    show: show ?? (async ({ id }) => Buffer.from(JSON.stringify({ id, text: "x".repeat(itemBytes) }))),
    eventIds,
    clock: systemClock,
    logger: silentLogger,
  });
}

function rowAt(at: number): TailRow {
  return { projectId, id: `t${at}`, xid: BigInt(at + 1), seq: BigInt(at + 1) };
}

/** The traces that were sent in full. */
function idsIn(text: string): string[] {
  return [...text.matchAll(/"id":"(t\d)".*\n\n/g)].map(([, id]) => id as string);
}

test("a reader that catches up with traces larger than its backlog receives each at its own pace, and is not cut off", async () => {
  const rows = Array.from({ length: 6 }, (_, at) => rowAt(at));
  const tail = openTail(rows, 2 * limits.streamBacklogMaxBytes);
  const lastEventId = eventIds.format(projectId, { position: { xid: 0n, seq: 0n }, atMs: Date.now() });
  const readable = await tail.open({ projectId, lastEventId, filter: everything, preview: null });

  let text = "";
  readable.on("data", (chunk) => {
    text += chunk;
    // It takes a while to read its traces.
    readable.pause();
    setTimeout(() => readable.resume(), 50);
  });
  await expect.poll(() => readable.destroyed || idsIn(text).length === rows.length).toBe(true);
  expect(idsIn(text)).toEqual(rows.map(({ id }) => id));
  expect(readable.destroyed).toBe(false);
  await tail.stop();
});

test("a reader that caught up but for a large trace that is still on its way is not cut off by the next", async () => {
  const rows = [rowAt(0)];
  const tail = openTail(rows, 2 * limits.streamBacklogMaxBytes);
  const lastEventId = eventIds.format(projectId, { position: { xid: 0n, seq: 0n }, atMs: Date.now() });
  const readable = await tail.open({ projectId, lastEventId, filter: everything, preview: null });
  await expect.poll(() => readable.readableLength).toBeGreaterThan(limits.streamBacklogMaxBytes);
  // This many polls later it would count as one that reads too slowly.
  for (const at of [1, 2]) {
    rows.push(rowAt(at));
    await sleep(500);
  }
  expect(readable.destroyed).toBe(false);

  let text = "";
  readable.on("data", (chunk) => {
    text += chunk;
  });
  await expect.poll(() => idsIn(text)).toEqual(["t0", "t1", "t2"]);
  await tail.stop();
});

test("a project whose traces cannot be shown delays no other, and receives them once they can be", async () => {
  const other = uuidv7(Date.now());
  const rows = [rowAt(0), { ...rowAt(1), projectId: other }, rowAt(2), { ...rowAt(3), projectId: other }];
  let isBroken = true;
  const tail = openTail(rows, 0, async ({ id }) => {
    if (isBroken && id === "t0") throw new Error("this trace cannot be shown");
    return Buffer.from(JSON.stringify({ id, text: "" }));
  });
  const [texts, wishes] = [new Map([projectId, other].map((id) => [id, ""])), { filter: everything, preview: null }];
  for (const id of texts.keys()) {
    const lastEventId = eventIds.format(id, { position: { xid: 0n, seq: 0n }, atMs: Date.now() });
    const readable = await tail.open({ projectId: id, lastEventId, ...wishes });
    readable.on("data", (chunk) => texts.set(id, texts.get(id) + chunk));
  }
  const idsOf = (id: string): string[] => idsIn(texts.get(id) ?? "");

  await expect.poll(() => idsOf(other)).toEqual(["t1", "t3"]);
  expect(idsOf(projectId)).toEqual([]);
  isBroken = false;
  await expect.poll(() => idsOf(projectId), { timeout: 20_000 }).toEqual(["t0", "t2"]);
  expect(idsOf(other)).toEqual(["t1", "t3"]);
  await tail.stop();
});
