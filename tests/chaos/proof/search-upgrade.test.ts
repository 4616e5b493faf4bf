import { submitTraceReply, traceList } from "@touchstone/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient } from "../../integration/src/client.ts";
import { waitUntil } from "../../integration/src/wait-until.ts";
import { type ServiceSlot, startInstallation, thisRepository } from "../src/installation.ts";
import { becomes, type PreviousRelease, unpackPreviousRelease } from "../src/previous-release.ts";

let previous: PreviousRelease;

beforeAll(async () => {
  previous = await unpackPreviousRelease();
});

afterAll(() => previous?.remove());

/** Large texts, so that two hundred are more than one block of the search index. */
const paddingChars = 60_000;
/** Replicas are chosen by lot or by turn: so often, both of two have answered. */
const searchesEach = 6;

test("row 43: a search finds every text while replicas of both releases store them and this one builds postings, and afterwards", async () => {
  const both = await startInstallation({ ingests: 2, repository: previous.folder });
  try {
    const [first, second] = both.ingests as [ServiceSlot, ServiceSlot];
    const { apiKey } = await both.createProject("searched");
    const client = createClient({ url: both.urls[0] as string, apiKey });
    let stored = 0;
    const store = async (count: number): Promise<void> => {
      for (const beyond = stored + count; stored < beyond; ) {
        const batch = Array.from({ length: Math.min(4, beyond - stored) }, (_, index) => stored + index);
        await Promise.all(
          batch.map((number) => {
            const input = `Orchard ${"lorem ipsum ".repeat(paddingChars / 12)} tree${number}end`;
            return client.expect({ status: 201, schema: submitTraceReply }, "POST", "/ingest/traces", {
              name: "searched",
              input,
            });
          }),
        );
        stored += batch.length;
      }
    };
    const search = async (term: string): Promise<number[]> => {
      const totals: number[] = [];
      for (let turn = 0; turn < searchesEach; turn += 1) {
        const route = `/ingest/traces?limit=1&search=${encodeURIComponent(term)}`;
        totals.push((await client.expect({ status: 200, schema: traceList }, "GET", route)).totalCount);
      }
      return totals;
    };
    const expectFound = async (): Promise<void> => {
      for (const [term, total] of [
        ["orchard", stored],
        ["tree0end", 1],
        [`tree${stored - 1}end`, 1],
        ["no such tree", 0],
      ] as const) {
        expect(await search(term), term).toEqual(Array(searchesEach).fill(total));
      }
    };
    const countBlocks = async (): Promise<number> => {
      const { rows } = await both.postgres.query<{ n: number }>("select count(*)::int as n from ingest.search_blocks");
      return rows[0]?.n ?? 0;
    };
    await store(40);
    await expectFound();
    await becomes(both, first, thisRepository);
    // It takes the lease for building while the other is stopped.
    await becomes(both, second, previous.folder);
    await store(40);
    await expectFound();
    await waitUntil(
      "this release has built postings of two blocks",
      async () => {
        await store(20);
        await expectFound();
        return (await countBlocks()) >= 2;
      },
      { timeoutMs: 240_000 },
    );
    await store(20);
    await expectFound();

    // The previous release alone builds nothing, and this one goes on afterwards.
    await becomes(both, first, previous.folder);
    await store(20);
    await expectFound();
    const built = await countBlocks();
    for (const slot of [first, second]) await becomes(both, slot, thisRepository);
    await waitUntil(
      "this release goes on building",
      async () => {
        await store(20);
        await expectFound();
        return (await countBlocks()) > built;
      },
      { timeoutMs: 240_000 },
    );
    expect(await both.listEnded()).toEqual([]);
  } finally {
    await both.stop();
  }
});
