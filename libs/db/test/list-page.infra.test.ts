import { randomBytes } from "node:crypto";
import { createTestDatabase, type TestDatabase } from "@touchstone/testkit";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { selectPart } from "../src/index.ts";

let database: TestDatabase;
let client: Client;

/** Documents of these sizes in bytes, alternately ones that are packed well and ones that cannot be packed. */
const sizes = [300, 40_000, 9, 250_000, 250_000, 1_000, 80_000, 250_000, 250_000, 250_000, 250_000, 250_000];

const text = selectPart({
  rows: "select id, document, note from documents where id > $1 order by id limit $2",
  large: ["document", "note"],
  order: "id",
  columns: "id, document::text",
  bytesMax: "$3",
});

beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.adminUrl });
  await client.connect();
  await client.query("create temporary table documents (id integer primary key, document json not null, note text)");
  for (const [id, bytes] of sizes.entries()) {
    const filling = id % 2 === 0 ? "x".repeat(bytes) : randomBytes(bytes).toString("base64url").slice(0, bytes);
    await client.query("insert into documents values ($1, $2, $3)", [
      id,
      JSON.stringify(filling),
      id % 3 === 0 ? null : "a note",
    ]);
  }
});

afterAll(async () => {
  await client?.end();
  await database?.drop();
});

/** What a row is measured as: its document with the quotes, and its note. */
const bytesOf = (id: number): number => (sizes[id] as number) + 2 + (id % 3 === 0 ? 0 : "a note".length);

test.each([1, 400, 41_000, 300_000, 600_000, 5_000_000])(
  "with a limit of %d bytes a part ends with the row that reaches the limit",
  async (bytesMax) => {
    for (const last of [-1, 2, 6]) {
      const expected: { id: number; bytes: number }[] = [];
      for (let id = last + 1, sum = 0; id < sizes.length && sum < bytesMax; id += 1) {
        expected.push({ id, bytes: bytesOf(id) });
        sum += bytesOf(id);
      }
      const { rows } = await client.query<{ id: number; bytes: number }>(text, [last, 50, bytesMax]);
      expect(rows.map(({ id, bytes }) => ({ id, bytes }))).toEqual(expected);
    }
  },
);

test("each row reports the least size of the next one, also of one that is not measured", async () => {
  const { rows } = await client.query<{ id: number; nextBytes: number | null }>(text, [-1, 50, 5_000_000]);
  expect(rows.at(-1)?.nextBytes).toBeNull();
  for (const { id, nextBytes } of rows.slice(0, -1)) {
    expect(nextBytes).toBeGreaterThan(0);
    expect(nextBytes).toBeLessThanOrEqual(bytesOf(id + 1));
    // The odd ones cannot be packed to half.
    if (id % 2 === 0) expect(nextBytes).toBeGreaterThan(bytesOf(id + 1) / 2);
  }
  const { rows: first } = await client.query(text, [4, 50, 1]);
  expect(first).toEqual([expect.objectContaining({ id: 5, nextBytes: rows[5]?.nextBytes })]);
});

test("a size that is stored is used instead of measuring, beside columns that have none", async () => {
  const storing = selectPart({
    rows: `
      select id, document, note, case when id <> 2 then 1000 * id end as told
      from documents where id > $1 order by id limit $2`,
    large: ["note"],
    stored: { told: ["document"] },
    order: "id",
    columns: "id",
    bytesMax: "$3",
  });
  const noteOf = (id: number): number => (id % 3 === 0 ? 0 : "a note".length);
  const { rows } = await client.query<{ id: number; bytes: number; nextBytes: number }>(storing, [0, 4, 5_000_000]);
  expect(rows.map(({ id, bytes }) => ({ id, bytes }))).toEqual([
    { id: 1, bytes: 1_000 + noteOf(1) },
    { id: 2, bytes: bytesOf(2) },
    { id: 3, bytes: 3_000 + noteOf(3) },
    { id: 4, bytes: 4_000 + noteOf(4) },
  ]);
  expect(rows[1]?.nextBytes).toBe(3_000);
  expect((await client.query(storing, [2, 50, 6_000])).rows).toMatchObject([{ id: 3 }, { id: 4 }]);
});

test("documents behind the end of the part are not unpacked to be measured", async () => {
  const pagesRead = async (bytesMax: number): Promise<number> => {
    const { rows } = await client.query(`explain (analyze, buffers, format json) ${inline(text, [6, 50, bytesMax])}`);
    const [{ Plan: plan }] = rows[0]["QUERY PLAN"];
    return plan["Local Hit Blocks"] + plan["Local Read Blocks"];
  };
  expect(await pagesRead(1)).toBeLessThan((await pagesRead(5_000_000)) / 2);
});

function inline(statement: string, values: readonly number[]): string {
  return values.reduce((result, value, at) => result.replaceAll(`$${at + 1}`, String(value)), statement);
}
