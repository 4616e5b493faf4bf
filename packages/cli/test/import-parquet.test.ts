import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type ColumnSource, parquetWriteBuffer } from "hyparquet-writer";
import { beforeEach, describe, expect, test } from "vitest";
import { observationEvent, traceOfRoot } from "../src/langfuse/events.ts";
import { fileList, openExportFile } from "../src/langfuse/read-files.ts";
import type { Row } from "../src/langfuse/row.ts";

/** Seven observations, which ClickHouse wrote for Langfuse's query in each of its formats; in Parquet in groups of three. */
const exported = path.resolve(import.meta.dirname, "../../../fixtures/langfuse/export");

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "touchstone-parquet-"));
  return () => rm(folder, { recursive: true, force: true });
});

async function readAll(file: string, from: string | null = null): Promise<Row[]> {
  const list = fileList(file);
  const rows: Row[] = [];
  for (let position: string | null | undefined = from; position !== undefined; ) {
    const page = await list(position);
    rows.push(...page.rows);
    position = page.next ?? undefined;
  }
  return rows;
}

const times = ["startTime", "endTime"];

/** Its members without times, which each format spells in its own way. */
const membersOf = (row: Row) => Object.fromEntries([...row.members()].filter(([name]) => !times.includes(name)));

async function write(
  name: string,
  columnData: ColumnSource[],
  options: { rowGroupSize?: number } = {},
): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, new Uint8Array(parquetWriteBuffer({ columnData, ...options })));
  return file;
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

const scores = (count: number, more: Partial<ColumnSource> = {}): ColumnSource[] => [
  { name: "id", data: numbers(count).map((index) => `score ${index}`), type: "STRING", ...more },
  { name: "value", data: numbers(count).map((index) => index / 4), type: "DOUBLE", ...more },
];

describe("an export file in Parquet", () => {
  test.each(["zstd", "lz4"])("compressed with %s has the rows of the same export as JSON", async (codec) => {
    const file = path.join(exported, `observations-${codec}.parquet`);
    const lines = path.join(exported, "observations.jsonl");
    expect(await openExportFile(file)).toEqual({ ...(await openExportFile(lines)), file });
    const [rows, wanted] = [await readAll(file), await readAll(lines)];
    expect(rows.map(membersOf)).toEqual(wanted.map(membersOf));
    expect(rows.map((row) => observationEvent(row).held)).toEqual(wanted.map((row) => observationEvent(row).held));
    expect(rows.map((row) => traceOfRoot(row)?.held)).toEqual(wanted.map((row) => traceOfRoot(row)?.held));
  });

  test("keeps all digits of times, integers and decimals, and leaves out what is null", async () => {
    const [row] = await readAll(path.join(exported, "observations-zstd.parquet"));
    expect(row?.time("startTime")).toBe("2026-01-02T03:04:05.678901Z");
    expect([row?.raw("endTime"), row?.raw("version")]).toEqual([undefined, undefined]);
    expect(row?.raw("usageDetails")).toBe('{"input":12,"output":9007199254740993}');
    expect(row?.raw("costDetails")).toBe('{"input":0.000123,"total":1234567.123456788992}');
    expect(row?.raw("totalCost")).toBe("0.0003");
    expect(JSON.parse(observationEvent(row as Row).text).body.metadata).toMatchObject({ n: "1.50" });
  });

  test.each([{ offsetIndex: true }, { offsetIndex: false }])(
    "is read in pages from any row, over its groups of rows, with %j",
    async (index) => {
      const file = await write("scores", scores(1_200, index), { rowGroupSize: 350 });
      expect(await openExportFile(file)).toMatchObject({ kind: "scores" });
      const list = fileList(file);
      const first = await list(null);
      const second = await list(first.next);
      const resumed = await fileList(file)(second.next);
      expect([first.next, second.next, resumed.next]).toEqual(["500", "1000", null]);
      const rows = [...first.rows, ...second.rows, ...resumed.rows];
      expect(rows.map((row) => row.id())).toEqual(numbers(1_200).map((number) => `score ${number}`));
      expect(rows[1_001]?.raw("value")).toBe("250.25");
      expect((await readAll(file, "699")).map((row) => row.id())[0]).toBe("score 699");
    },
  );

  test("is recognized by its columns: a file without rows is accepted, a file with other columns is refused", async () => {
    expect(await openExportFile(await write("none.parquet", scores(0)))).toMatchObject({ kind: "scores" });
    expect(await readAll(path.join(folder, "none.parquet"))).toEqual([]);
    const other = await write("other.parquet", [{ name: "city", data: ["Rome"], type: "STRING" }]);
    await expect(openExportFile(other)).rejects.toThrow(`${other} is no export of Langfuse`);
  });

  test.each([0, 5, 9_000])("that is cut off after %i bytes is refused by its name", async (bytes) => {
    const file = path.join(folder, "cut.parquet");
    await writeFile(file, (await readFile(path.join(exported, "observations-zstd.parquet"))).subarray(0, bytes));
    await expect(openExportFile(file)).rejects.toThrow(`${file} is no Parquet file, or is cut off`);
  });

  test("whose rows are damaged is refused with the rows that could not be read", async () => {
    const file = path.join(folder, "damaged.parquet");
    const bytes = await readFile(path.join(exported, "observations-zstd.parquet"));
    await writeFile(file, bytes.fill(0xff, 4, 400));
    await expect(readAll(file)).rejects.toThrow(`${file} is damaged: rows 1 to 3 cannot be read`);
  });
});
