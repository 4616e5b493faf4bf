import { describe, expect, test } from "vitest";
import { endOfPage, readListPage, type SizedRow } from "../src/index.ts";

const kibibyte = 1024;

type Row = SizedRow & { id: number };

/** A list of rows of these sizes, read as PostgreSQL returns a part: all but its first row begin within the bytes. */
function listOf(...sizes: number[]) {
  const all: Row[] = sizes.map((bytes, id) => ({ id, bytes }));
  const parts: { rows: number; bytes: number }[] = [];
  return {
    parts,
    async read(last: Row | null, { rowsMax, bytesMax }: { rowsMax: number; bytesMax: number }): Promise<Row[]> {
      let before = 0;
      const part = all
        .slice(last === null ? 0 : last.id + 1, (last === null ? 0 : last.id + 1) + rowsMax)
        .filter((row) => {
          const begins = before;
          before += row.bytes;
          return begins < bytesMax;
        });
      parts.push({ rows: part.length, bytes: part.reduce((sum, { bytes }) => sum + bytes, 0) });
      return part;
    },
  };
}

const ids = ({ rows }: { rows: Row[] }): number[] => rows.map(({ id }) => id);

describe("a page of a list", () => {
  test("has every row when they are few and small, and is one part", async () => {
    const list = listOf(10, 10, 10);
    const page = await readListPage(list.read, { rowsMax: 100 });
    expect(page).toMatchObject({ hasNextPage: false, isCut: false });
    expect(ids(page)).toEqual([0, 1, 2]);
    expect(list.parts).toHaveLength(1);
    expect(endOfPage(page, ({ id }) => String(id))).toEqual({ hasNextPage: false, nextCursor: null });
  });

  test("ends at its rows, without reporting that it was cut", async () => {
    const page = await readListPage(listOf(10, 10, 10).read, { rowsMax: 2 });
    expect(ids(page)).toEqual([0, 1]);
    expect(endOfPage(page, ({ id }) => String(id))).toEqual({ hasNextPage: true, nextCursor: "1" });
  });

  test("ends before its bytes would be too many, and reports why", async () => {
    const page = await readListPage(listOf(400, 400, 400, 400).read, { rowsMax: 100, bytesMax: 1_000 });
    expect(ids(page)).toEqual([0, 1]);
    expect(endOfPage(page, ({ id }) => String(id))).toEqual({
      hasNextPage: true,
      nextCursor: "1",
      truncatedBy: "bytes",
    });
  });

  test("has one row whatever its size, and is complete when that is the last one", async () => {
    expect(ids(await readListPage(listOf(5_000, 10).read, { rowsMax: 100, bytesMax: 1_000 }))).toEqual([0]);
    expect(await readListPage(listOf(5_000).read, { rowsMax: 100, bytesMax: 1_000 })).toMatchObject({
      hasNextPage: false,
    });
  });

  test("that is exactly full and the last one is not cut", async () => {
    expect(await readListPage(listOf(500, 500).read, { rowsMax: 100, bytesMax: 1_000 })).toMatchObject({
      isCut: false,
    });
    expect(await readListPage(listOf(500, 500, 0).read, { rowsMax: 100, bytesMax: 1_000 })).toMatchObject({
      rows: { length: 3 },
    });
  });

  describe("whose rows tell what the next one has at least", () => {
    const telling = (...sizes: number[]) => {
      const list = listOf(...sizes);
      const read: typeof list.read = async (last, bounds) =>
        (await list.read(last, bounds)).map((row) => ({ ...row, nextBytes: sizes[row.id + 1] ?? null }));
      return { ...list, read };
    };

    test("ends without reading one that would not fit", async () => {
      const { read, parts } = telling(700, 700, 700);
      const page = await readListPage(read, { rowsMax: 100, bytesMax: 1_000, firstRows: 1 });
      expect(page).toMatchObject({ hasNextPage: true, isCut: true });
      expect(ids(page)).toEqual([0]);
      expect(parts).toHaveLength(1);
    });

    test("reads a small one behind a large one, and is whole if both fit", async () => {
      const { read } = telling(900, 50);
      const page = await readListPage(read, { rowsMax: 100, bytesMax: 1_000, firstRows: 1 });
      expect(page).toMatchObject({ hasNextPage: false, isCut: false });
      expect(ids(page)).toEqual([0, 1]);
    });

    test("is not cut by bytes when it has as many rows as were asked for", async () => {
      const { read, parts } = telling(1_200, 700);
      const page = await readListPage(read, { rowsMax: 1, bytesMax: 1_000 });
      expect(page).toMatchObject({ hasNextPage: true, isCut: false });
      expect(ids(page)).toEqual([0]);
      expect(parts).toHaveLength(1);
    });
  });

  test("reads no more than it holds and one row, however large the next ones are", async () => {
    const list = listOf(...Array.from({ length: 40 }, () => 900 * kibibyte));
    const page = await readListPage(list.read, { rowsMax: 100, bytesMax: 8 * 1024 * kibibyte });
    expect(page.rows).toHaveLength(9);
    const read = list.parts.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(read).toBeLessThanOrEqual(10 * 900 * kibibyte);
  });

  test("reserves memory once, before it reads on, and none while it is small", async () => {
    const asked: number[] = [];
    const makeRoom = async (bytes: number): Promise<void> => void asked.push(bytes);
    await readListPage(listOf(...Array.from({ length: 3_000 }, () => 10)).read, { rowsMax: 10_000, makeRoom });
    expect(asked).toEqual([]);
    await readListPage(listOf(...Array.from({ length: 20 }, () => 300 * kibibyte)).read, {
      rowsMax: 100,
      bytesMax: 4_000 * kibibyte,
      makeRoom,
    });
    expect(asked).toEqual([4_000 * kibibyte]);
  });

  test("of many small rows is read in few parts", async () => {
    const list = listOf(...Array.from({ length: 3_000 }, () => 10));
    expect((await readListPage(list.read, { rowsMax: 10_000 })).rows).toHaveLength(3_000);
    expect(list.parts.length).toBeLessThan(6);
  });
});
