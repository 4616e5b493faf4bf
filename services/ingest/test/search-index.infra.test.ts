import type { Database } from "@touchstone/db";
import { uuidv7 } from "@touchstone/service-kit";
import { createTestDatabase, type TestDatabase } from "@touchstone/testkit";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createSearchPieceStore, type SearchPieceStore } from "../src/search/search-piece-store.ts";
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

describe("the pieces of the searched text", () => {
  let database: IngestDatabase;

  beforeEach(async () => {
    database = await openIngestDatabase();
  });

  afterEach(async () => {
    await database.close();
  });

  const openPieces = (): SearchPieceStore =>
    createSearchPieceStore({ maintenance: database.maintenance, building: database.maintenance });

  interface Piece {
    piece: string;
    first: number;
    is_indexed: boolean;
  }
  async function listPieces(): Promise<Piece[]> {
    const { rows } = await database.maintenance.query<Piece>({
      name: "pieces",
      text: "select piece, first_seq::integer as first, is_indexed from ingest.search_pieces()",
    });
    return rows;
  }

  const search = async (projectId: string, pattern: string) =>
    (await database.store.listRoots({ ...anyRoot, projectId, limit: 5, before: null, pattern }, asTheyAre)).totalCount;

  async function indexScans(): Promise<number> {
    const { rows } = await database.maintenance.query<{ scans: number }>({
      name: "index_scans",
      text: `
        select coalesce(sum(idx_scan), 0)::integer as scans
        from pg_stat_all_indexes
        where schemaname = 'ingest' and indexrelname like 'search_docs_%_doc'`,
    });
    return rows[0]?.scans ?? 0;
  }

  test("sixteen are ready beyond the one being written", async () => {
    const pieces = openPieces();
    expect(await pieces.makeAhead()).toBe(9);
    expect(await pieces.makeAhead()).toBe(0);

    expect((await listPieces()).map(({ first }) => first)).toEqual(
      Array.from({ length: 17 }, (_, index) => index * 4096),
    );
  });

  test("a full one is indexed and a search finds the same as before, with the index although rows are guarded", async () => {
    const projectId = uuidv7(Date.now());
    const texts = Array.from(
      { length: 5000 },
      (_, index) => `text number ${index} of many ${index % 2 ? "odd" : "even"}`,
    );
    await storeTexts(database.app, projectId, texts);
    await storeTexts(database.app, uuidv7(Date.now()), ["text number 17 of another project"]);
    const terms = ["%number 17 %", "%odd%", "%xt number 49%", "%zz%", "%17%"];
    const before = await Promise.all(terms.map((term) => search(projectId, term)));
    const pieces = openPieces();

    expect(await pieces.indexOne(await pieces.readLastSeq())).toBe(true);
    expect(await pieces.indexOne(await pieces.readLastSeq())).toBe(false);
    expect((await listPieces()).filter(({ is_indexed }) => is_indexed).map(({ piece }) => piece)).toEqual([
      "search_docs_0",
    ]);
    expect(before).toEqual([1, 2500, 111, 0, texts.filter((text) => text.includes("17")).length]);
    expect(await Promise.all(terms.map((term) => search(projectId, term)))).toEqual(before);
    const scans = await indexScans();
    await database.app.scoped([projectId], async (transaction) => {
      const values = ["%number 17 %", null, 5, ...Array.from({ length: 9 }, () => null)];
      const text = "select total from ingest.find_roots($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
      expect((await transaction.query({ name: "find", text, values })).rows).toEqual([{ total: "1" }]);
      await transaction.query({ name: "flush_statistics", text: "select pg_stat_force_next_flush()" });
    });
    await until(async () => (await indexScans()) > scans);
  });

  test("eight neighbours are merged into one, and rows removed meanwhile stay removed", async () => {
    const [projectId, other] = [uuidv7(Date.now()), uuidv7(Date.now())];
    const pieces = openPieces();
    // A piece is identified by its numbers: a few texts in each of eight are enough.
    for (let piece = 0; piece < 8; piece += 1) {
      await storeTexts(database.app, projectId, [`keep ${piece}`, `drop ${piece}`]);
      await storeTexts(database.app, other, [`keep ${piece} elsewhere`]);
      const values = [(piece + 1) * 4096 - 1];
      const text = "select setval('ingest.search_docs_seq_seq', $1)";
      await database.superuser.query({ name: "skip_numbers", text, values });
    }
    await pieces.makeAhead();
    expect(await pieces.findNeighbours()).toBeNull();
    while (await pieces.indexOne(8 * 4096));
    const range = await pieces.findNeighbours();
    expect(range).toEqual({ first: 0, beyond: 8 * 4096 });
    if (range === null) return;

    const remove = (pattern: string) =>
      database.app.scoped([projectId], (transaction) =>
        transaction.query({
          name: "remove_texts",
          text: "delete from ingest.search_docs where project_id = $1 and doc like $2",
          values: [projectId, pattern],
        }),
      );
    await remove("drop 1");
    const announced = await pieces.announceCopy(range);
    await remove("drop 2");
    await until(() => pieces.hasSettled(announced));
    await pieces.copy(range);
    expect(await search(projectId, "%keep%")).toBe(8);
    expect(await search(projectId, "%drop%")).toBe(6);
    await remove("drop%");
    await storeTexts(database.app, projectId, ["keep 8"]);
    expect(await pieces.swap(range)).toBe(true);
    expect(await pieces.swap(range)).toBe(false);
    await pieces.dropReplaced();

    expect((await listPieces()).slice(0, 2)).toEqual([
      { piece: "search_docs_0_32768", first: 0, is_indexed: true },
      { piece: "search_docs_32768", first: 32768, is_indexed: false },
    ]);
    expect(await search(projectId, "%drop%")).toBe(0);
    expect(await search(projectId, "%keep%")).toBe(9);
    expect(await search(other, "%keep 3 else%")).toBe(1);
    expect(await pieces.findNeighbours()).toBeNull();
    await storeTexts(database.app, projectId, ["keep 9"]);
    expect(await search(projectId, "%keep%")).toBe(10);
  });

  test("a missing one is created by the batch that needs it", async () => {
    const projectId = uuidv7(Date.now());
    const { rows } = await database.maintenance.query<{ end: number }>({
      name: "pieces_end",
      text: "select max(end_seq)::integer as end from ingest.search_pieces()",
    });
    await database.superuser.query({
      name: "skip_numbers",
      text: "select setval('ingest.search_docs_seq_seq', $1)",
      values: [(rows[0]?.end ?? 0) + 50_000],
    });

    const outcomes = await database.store.insertBatch([await buildJob(projectId, [{ name: "far out" }])], 0);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled"]);
    expect(await search(projectId, "%far out%")).toBe(1);
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

  test("index full pieces by themselves", async () => {
    const { app, maintenance } = openPools(database.url);
    try {
      await storeTexts(
        app,
        uuidv7(Date.now()),
        Array.from({ length: 4200 }, (_, index) => `text ${index}`),
      );
      await until(async () => {
        const { rows } = await maintenance.query<{ indexed: number }>({
          name: "indexed",
          text: "select count(*)::integer as indexed from ingest.search_pieces() where is_indexed",
        });
        return rows[0]?.indexed === 1;
      });
    } finally {
      await Promise.all([app.close(), maintenance.close()]);
    }
  });
});
