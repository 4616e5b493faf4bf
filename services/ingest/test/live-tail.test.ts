import { limits } from "@touchstone/contracts";
import { systemClock, uuidv7 } from "@touchstone/service-kit";
import { expect, test } from "vitest";
import { createEventIds } from "../src/live/event-ids.ts";
import { createLiveTail, type LiveTailOptions } from "../src/live/live-tail.ts";
import type { TailRow } from "../src/live/tail-store.ts";
import { silentLogger } from "./ingest-database.ts";

const projectId = uuidv7(Date.now());
const eventIds = createEventIds("a secret of thirty-two characters!");

/** A tail over these rows, of which each is shown with so many bytes. */
function openTail(rows: readonly TailRow[], itemBytes: number) {
  const horizon = BigInt(rows.length + 1);
  return createLiveTail({
    store: {
      readState: async () => ({ horizon, nextXid: horizon, running: new Set(), lastSeq: horizon }),
      readAfter: async ({ after, limit }) => rows.filter(({ xid }) => xid > after.xid).slice(0, limit),
    },
    traces: {
      readRoots: async function* (_projectId: string, ids: readonly string[]) {
        yield ids.map((id) => ({ id, framework: null, source: null }));
      } as unknown as LiveTailOptions["traces"]["readRoots"],
      matchRoots: async () => new Set(),
    },
    show: async ({ id }) => Buffer.from(JSON.stringify({ id, text: "x".repeat(itemBytes) })),
    eventIds,
    clock: systemClock,
    logger: silentLogger,
  });
}

test("a reader that catches up with traces larger than its backlog is told each at its own pace, and not cut off", async () => {
  const rows = Array.from({ length: 6 }, (_, at) => ({
    projectId,
    id: `t${at}`,
    xid: BigInt(at + 1),
    seq: BigInt(at + 1),
  }));
  const tail = openTail(rows, 2 * limits.streamBacklogMaxBytes);
  const lastEventId = eventIds.format(projectId, { position: { xid: 0n, seq: 0n }, atMs: Date.now() });
  const filter = { framework: null, source: "all" } as unknown as Parameters<typeof tail.open>[0]["filter"];
  const readable = await tail.open({ projectId, lastEventId, filter, preview: null });

  let text = "";
  readable.on("data", (chunk) => {
    text += chunk;
    // It takes a while to read what it was sent.
    readable.pause();
    setTimeout(() => readable.resume(), 50);
  });
  const idsIn = (): string[] => [...text.matchAll(/"id":"(t\d)"/g)].map(([, id]) => id as string);
  await expect.poll(() => readable.destroyed || idsIn().length === rows.length).toBe(true);
  expect(idsIn()).toEqual(rows.map(({ id }) => id));
  expect(readable.destroyed).toBe(false);
  await tail.stop();
});
