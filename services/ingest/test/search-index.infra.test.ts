import type { Database } from "@touchstone/db";
import { runAtOnce, uuidv7 } from "@touchstone/service-kit";
import { createTestDatabase, type TestDatabase } from "@touchstone/testkit";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createPostingsBuilder } from "../src/search/postings.ts";
import { createSearchBlockStore, type SearchBlockStore } from "../src/search/search-block-store.ts";
import { searchPattern } from "../src/search/search-pattern.ts";
import { projectBucket } from "../src/search/text-buckets.ts";
import { asTheyAre, type IngestDatabase, openIngestDatabase, openPools } from "./ingest-database.ts";
import { type RunningIngest, startIngest, until } from "./running-ingest.ts";
import { buildJob } from "./span-builders.ts";
import { anyRoot } from "./trace-store-contract.ts";

/** Texts are stored directly into the table where a test needs thousands: the searched data is the same. */
async function storeTexts(database: Database, projectId: string, texts: readonly string[]): Promise<void> {
  await database.scoped([projectId], (transaction) =>
    transaction.query({
      name: "store_texts",
      text: `
        insert into ingest.search_docs (project_id, id, doc)
        select $1, id, doc from unnest($2::uuid[], $3::text[]) as texts (id, doc)`,
      values: [projectId, texts.map(() => uuidv7(Date.now())), texts],
    }),
  );
}

describe("the searched text", () => {
  let database: IngestDatabase;
  let blocks: SearchBlockStore;

  beforeEach(async () => {
    database = await openIngestDatabase();
    blocks = createSearchBlockStore({ maintenance: database.maintenance, building: database.maintenance });
  });

  afterEach(async () => {
    await database.close();
  });

  async function listPieces(): Promise<{ first: number; end: number }[]> {
    const { rows } = await database.maintenance.query<{ first: number; end: number }>({
      name: "pieces",
      text: "select first_seq::integer as first, end_seq::integer as end from ingest.search_pieces()",
    });
    return rows;
  }

  const search = async (projectId: string, term: string) =>
    (
      await database.store.listRoots(
        { ...anyRoot, projectId, limit: 5, before: null, pattern: searchPattern(term) },
        asTheyAre,
      )
    ).totalCount;

  const skipTo = (number: number) =>
    database.superuser.query({
      name: "skip_numbers",
      text: "select setval('ingest.search_docs_seq_seq', $1)",
      values: [number],
    });

  /** Stores the postings of all full blocks; returns how many there were. */
  async function buildBlocks(): Promise<number> {
    const settled = (await blocks.readLastNumber()) + 1;
    for (let built = 0; ; built += 1) {
      const found = await blocks.findBlock(settled);
      if ("open" in found) return built;
      const builder = createPostingsBuilder();
      for await (const texts of blocks.readTexts(found.block)) {
        for (const { number, projectId, text } of texts) builder.add(number - found.block.first, projectId, text);
      }
      await blocks.storePostings(found.block, runAtOnce(builder.encode()));
    }
  }

  test("has pieces of the table for the next numbers", async () => {
    expect(await blocks.makePieces()).toBe(131_072);
    expect((await listPieces()).at(-1)).toEqual({ first: 32_768, end: 131_072 });
    await skipTo(140_000);
    expect(await blocks.makePieces()).toBe(262_144);
    await skipTo(262_143 - 32_768);
    expect(await blocks.makePieces()).toBe(262_144);
    await skipTo(262_144 - 32_768);
    expect(await blocks.makePieces()).toBe(393_216);
    expect((await listPieces()).slice(-2)).toEqual([
      { first: 131_072, end: 262_144 },
      { first: 262_144, end: 393_216 },
    ]);
  });

  test("is found by postings as it was found by reading it, in its project alone", async () => {
    const [projectId, other] = [uuidv7(Date.now()), uuidv7(Date.now())];
    const texts = Array.from(
      { length: 9000 },
      (_, index) =>
        `text number ${index} of many ${index % 2 ? "odd" : "even"}\n{"ключ": "значение №${index}"} 日本語 ${index} 🦉🦉`,
    );
    await storeTexts(database.app, projectId, texts);
    await storeTexts(database.app, other, ["text number 17 of another project"]);
    const terms = [
      "number 17 ",
      "odd",
      "xt number 49",
      "zzz",
      "17",
      "№8",
      "日本語 77",
      "🦉",
      "🦉🦉",
      "even\n{",
      "many",
    ];
    const found = () => Promise.all(terms.map((term) => search(projectId, term)));
    const before = await found();
    expect(before).toEqual(terms.map((term) => texts.filter((text) => text.includes(term)).length));

    expect(await buildBlocks()).toBe(1);
    expect(await buildBlocks()).toBe(0);
    expect(await found()).toEqual(before);
    // What has postings is not read: a search finds nothing of it once they are empty.
    const empty = "update ingest.search_postings set postings = '\\x00'";
    await database.superuser.query({ name: "empty", text: empty });
    expect(await search(projectId, "number 17 ")).toBe(0);
    expect(await search(projectId, "number 8999 ")).toBe(1);
  });

  test("is counted once when two replicas store its block, though its first text was removed in between", async () => {
    const projectId = uuidv7(Date.now());
    await storeTexts(database.app, projectId, ["removed", "counted once"]);
    await skipTo(8192);
    expect(await buildBlocks()).toBe(1);
    const builder = createPostingsBuilder();
    builder.add(0, projectId, "counted once");
    await blocks.storePostings({ first: 2, beyond: 8194 }, runAtOnce(builder.encode()));
    expect(await search(projectId, "counted once")).toBe(1);
  });

  test("of another project is not found, also when both projects have one bucket", async () => {
    const projectId = uuidv7(Date.now());
    let other = uuidv7(Date.now());
    while (projectBucket(other) !== projectBucket(projectId)) other = uuidv7(Date.now());
    await storeTexts(database.app, projectId, ["a secret of the one"]);
    await storeTexts(database.app, other, ["a secret of the other"]);
    await skipTo(8192);
    expect(await buildBlocks()).toBe(1);
    expect([await search(projectId, "a secret"), await search(other, "the one")]).toEqual([1, 0]);
  });

  test("that is removed or stored again is found as it is now", async () => {
    const projectId = uuidv7(Date.now());
    await storeTexts(database.app, projectId, ["keep one", "drop one", "keep two"]);
    await skipTo(8192);
    expect(await buildBlocks()).toBe(1);
    await database.app.scoped([projectId], (transaction) =>
      transaction.query({
        name: "remove_texts",
        text: "delete from ingest.search_docs where project_id = $1 and doc like 'drop%'",
        values: [projectId],
      }),
    );
    await storeTexts(database.app, projectId, ["keep three"]);
    expect(await Promise.all(["drop", "keep"].map((term) => search(projectId, term)))).toEqual([0, 3]);
  });

  test("of a running transaction holds the blocks after it back", async () => {
    const projectId = uuidv7(Date.now());
    const ended = Promise.withResolvers<void>();
    const stored = Promise.withResolvers<void>();
    const writing = database.app.scoped([projectId], async (transaction) => {
      const text = "insert into ingest.search_docs (project_id, id, doc) values ($1, $2, 'late')";
      await transaction.query({ name: "late", text, values: [projectId, uuidv7(Date.now())] });
      stored.resolve();
      await ended.promise;
    });
    await stored.promise;
    const writers = await blocks.readWriters();
    expect(writers).toHaveLength(1);
    expect(await blocks.areWriting(writers)).toBe(true);
    ended.resolve();
    await writing;
    expect(await blocks.areWriting(writers)).toBe(false);
  });

  test("of long texts makes smaller blocks", async () => {
    const projectId = uuidv7(Date.now());
    const long = Array.from({ length: 200 }, (_, index) => `${index} `.repeat(16_000).slice(0, 65_000));
    await storeTexts(database.app, projectId, long);
    expect(await buildBlocks()).toBe(1);
    expect(await Promise.all([" 7 7 7", " 149 149"].map((term) => search(projectId, term)))).toEqual([1, 1]);
  });

  test("takes its postings along when all of a block is removed", async () => {
    const projectId = uuidv7(Date.now());
    await storeTexts(database.app, projectId, ["first"]);
    await skipTo(8192);
    await storeTexts(database.app, projectId, ["second"]);
    await skipTo(2 * 8192);
    expect(await buildBlocks()).toBe(2);
    const remove = "delete from ingest.search_docs where doc = 'first'";
    await database.superuser.query({ name: "remove_first", text: remove });
    await database.maintenance.query({ name: "drop", text: "select ingest.drop_empty_search_pieces()" });
    const { rows } = await database.superuser.query({
      name: "postings",
      text: "select distinct first_seq::integer as first from ingest.search_postings",
    });
    expect(rows).toEqual([{ first: 8193 }]);
    expect(await search(projectId, "second")).toBe(1);
  });

  test("keeps the trigram index of an earlier version until it has postings", async () => {
    const projectId = uuidv7(Date.now());
    await storeTexts(database.app, projectId, ["an old text", "another one"]);
    for (const text of [
      "create schema trigrams",
      "create extension pg_trgm schema trigrams",
      "create index old_trigrams on ingest.search_docs_0 using gin (doc trigrams.gin_trgm_ops)",
      "update ingest.search_frontier set first_unindexed = 4096",
    ]) {
      await database.superuser.query({ name: "", text });
    }
    const hasTrigrams = async () =>
      (await database.superuser.query({ name: "old", text: "select from pg_class where relname = 'old_trigrams'" }))
        .rows.length;
    await blocks.dropTrigramIndexes();
    expect([await search(projectId, "old text"), await hasTrigrams()]).toEqual([1, 1]);
    await skipTo(8192);
    await buildBlocks();
    await blocks.dropTrigramIndexes();
    expect([await search(projectId, "old text"), await hasTrigrams()]).toEqual([1, 0]);
  });

  test("is searched and stored by replicas of the previous version as before", async () => {
    const projectId = uuidv7(Date.now());
    await storeTexts(database.app, projectId, ["an old text", "another one"]);
    await skipTo(8192);
    await storeTexts(database.app, projectId, ["an old text behind the block"]);
    await buildBlocks();
    await database.app.scoped([projectId], async (transaction) => {
      const values = ["%old text%", null, 5, ...Array.from({ length: 13 }, () => null)];
      const given = values.map((_, index) => `$${index + 1}`).join(", ");
      const found = await transaction.query({
        name: "find_as_before",
        text: `select total from ingest.find_roots(${given})`,
        values,
      });
      expect(found.rows).toEqual([{ total: "2" }]);
    });
    const make = (first: number) =>
      database.maintenance.query({
        name: "make_as_before",
        text: "select ingest.make_search_piece($1) as made",
        values: [first],
      });
    expect((await make(32_768)).rows).toEqual([{ made: true }]);
    expect((await make(36_864)).rows).toEqual([{ made: false }]);
  });

  test("gets a missing piece of the table from the batch that needs it", async () => {
    const projectId = uuidv7(Date.now());
    await skipTo(((await listPieces()).at(-1)?.end ?? 0) + 500_000);

    const outcomes = await database.store.insertBatch([await buildJob(projectId, [{ name: "far out" }])], 0);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled"]);
    expect(await search(projectId, "far out")).toBe(1);
  });
});

describe("two replicas", () => {
  let database: TestDatabase;
  let replicas: RunningIngest[];

  beforeAll(async () => {
    database = await createTestDatabase();
    replicas = await Promise.all([1, 2].map(() => startIngest({ databaseUrl: database.url })));
    await Promise.all(replicas.map((replica) => replica.ready()));
  });

  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await database.drop();
  });

  test("store the postings of full blocks by themselves", async () => {
    const { app, maintenance } = openPools(database.url);
    try {
      await storeTexts(
        app,
        uuidv7(Date.now()),
        Array.from({ length: 8300 }, (_, index) => `text ${index}`),
      );
      await until(async () => {
        const { rows } = await maintenance.query<{ blocks: number }>({
          name: "blocks",
          text: "select count(*)::integer as blocks from ingest.search_blocks",
        });
        return rows[0]?.blocks === 1;
      });
    } finally {
      await Promise.all([app.close(), maintenance.close()]);
    }
  });
});
