import { open } from "node:fs/promises";
import {
  type AsyncBuffer,
  asyncBufferFromFile,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
  type RowGroup,
  type SchemaTree,
} from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { Failure } from "../surroundings.ts";
import { objectText } from "./raw-json.ts";
import { Row } from "./row.ts";

const magic = "PAR1";
/** What is read at a time, where the file says in which pages its rows are. */
const bytesAtOnce = 32 * 1024 * 1024;
const rowsAtOnceMax = 25_000;
/** Of a group of rows that can only be read whole. Langfuse writes at most 128 MiB. */
const groupBytesMax = 1024 * 1024 * 1024;

/** Whether a file begins as Parquet, or is named so. */
export async function isParquet(file: string): Promise<boolean> {
  if (file.endsWith(".parquet")) return true;
  const handle = await open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(magic.length), 0, magic.length, 0);
    return buffer.toString("latin1") === magic;
  } finally {
    await handle.close();
  }
}

/** The names of the columns. Throws a Failure for a file that is damaged. */
export async function readColumnNames(file: string): Promise<string[]> {
  const { tree } = await openParquet(file);
  return tree.children.map(({ element }) => element.name);
}

/** The rows after the first `after`, each with its number from 1. Throws a Failure for a file that is damaged. */
export async function* readParquet(file: string, after: number): AsyncGenerator<{ row: Row; line: number }> {
  const { buffer, metadata, tree } = await openParquet(file);
  let groupStart = 0;
  for (const group of metadata.row_groups) {
    const groupEnd = groupStart + Number(group.num_rows);
    const rowsAtOnce = countRowsAtOnce(file, group);
    for (let from = Math.max(after, groupStart); from < groupEnd; from += rowsAtOnce) {
      const rows = await readSlice(file, buffer, metadata, { from, to: Math.min(from + rowsAtOnce, groupEnd) });
      for (const [index, values] of rows.entries()) yield { row: toRow(values, tree), line: from + index + 1 };
    }
    groupStart = groupEnd;
  }
}

interface OpenParquet {
  buffer: AsyncBuffer;
  metadata: FileMetaData;
  tree: SchemaTree;
}

async function openParquet(file: string): Promise<OpenParquet> {
  try {
    const buffer = await asyncBufferFromFile(file);
    const metadata = await parquetMetadataAsync(buffer);
    return { buffer, metadata: withReadableSchema(metadata), tree: parquetSchema(metadata) };
  } catch {
    throw new Failure(`${file} is no Parquet file, or is cut off: its end cannot be read. Copy it again.`);
  }
}

/** What the library would not read in full: it rounds decimals, and knows lists and maps by their older names only. */
function withReadableSchema(metadata: FileMetaData): FileMetaData {
  const schema = metadata.schema.map((element) => {
    const { type } = element.logical_type ?? {};
    if (type === "LIST" || type === "MAP") return { ...element, converted_type: type };
    return scaleOf(element) === null ? element : { ...element, converted_type: undefined, logical_type: undefined };
  });
  return { ...metadata, schema } as FileMetaData;
}

function countRowsAtOnce(file: string, { columns, num_rows, total_byte_size }: RowGroup): number {
  const bytes = Number(total_byte_size);
  if (columns.every(({ offset_index_offset }) => offset_index_offset !== undefined)) {
    const rowsOfBytes = Math.ceil(Number(num_rows) / Math.ceil((bytes + 1) / bytesAtOnce));
    return Math.max(1, Math.min(rowsOfBytes, rowsAtOnceMax));
  }
  if (bytes <= groupBytesMax) return Number(num_rows);
  throw new Failure(`${file} has groups of rows of more than 1 GiB. Write it again with smaller ones.`);
}

type Values = Record<string, unknown>;

async function readSlice(
  file: string,
  buffer: AsyncBuffer,
  metadata: FileMetaData,
  { from, to }: { from: number; to: number },
): Promise<Values[]> {
  try {
    return await parquetReadObjects({
      ...{
        file: buffer,
        metadata,
        compressors: decompressors,
        parsers,
        useOffsetIndex: true,
        utf8: false,
        geoparquet: false,
      },
      ...{ rowStart: from, rowEnd: to },
    });
  } catch (error) {
    const { message } = error as Error;
    throw new Failure(`${file} is damaged: rows ${from + 1} to ${to} cannot be read (${message}). Copy it again.`);
  }
}

/** The library takes the end of an empty page of LZ4 for a mistake. */
const decompressors: Compressors = Object.fromEntries(
  Object.entries(compressors).map(([codec, decompress]) => [
    codec,
    (input: Uint8Array, bytes: number) => (bytes === 0 ? new Uint8Array() : decompress(input, bytes)),
  ]),
);

const decoder = new TextDecoder();
const textOf = (bytes: Uint8Array | undefined): string | undefined => bytes && decoder.decode(bytes);

/** Times become ISO 8601 with all their digits. */
const parsers = {
  timestampFromMilliseconds: (ms: bigint) => timeOf(ms, 1_000n, 3),
  timestampFromMicroseconds: (us: bigint) => timeOf(us, 1_000_000n, 6),
  timestampFromNanoseconds: (ns: bigint) => timeOf(ns, 1_000_000_000n, 9),
  dateFromDays: (days: number | undefined) => days && new Date(days * 86_400_000).toISOString().slice(0, 10),
  stringFromBytes: textOf,
  jsonFromBytes: textOf,
};

function timeOf(units: bigint | undefined, perSecond: bigint, digits: number): string | undefined {
  if (typeof units !== "bigint") return undefined;
  const fraction = ((units % perSecond) + perSecond) % perSecond;
  const seconds = (units - fraction) / perSecond;
  const time = new Date(Number(seconds) * 1_000).toISOString().slice(0, 19);
  return `${time}.${String(fraction).padStart(digits, "0")}Z`;
}

const toRow = (values: Values, { children }: SchemaTree): Row =>
  new Row(
    objectText(
      Object.fromEntries(children.map((child) => [child.element.name, jsonOf(values[child.element.name], child)])),
    ),
  );

/** A value as the JSON that an export with a row a line has for it. */
function jsonOf(value: unknown, node: SchemaTree): string {
  if (value === null || value === undefined) return "null";
  const { element, children } = node;
  const scale = scaleOf(element);
  if (scale !== null) return decimalText(value as number | bigint | Uint8Array, scale);
  if (value instanceof Uint8Array) return JSON.stringify(decoder.decode(value));
  if (Array.isArray(value)) return `[${value.map((item) => jsonOf(item, itemNode(node))).join(",")}]`;
  if (typeof value === "object") {
    const members = Object.entries(value).map(([name, member]) => [name, jsonOf(member, memberNode(node, name))]);
    return objectText(Object.fromEntries(members));
  }
  if (typeof value === "bigint") return String(value);
  if (children.length === 0 && isJson(element)) return String(value);
  return JSON.stringify(value) ?? "null";
}

/** A list has its items in a repeated group, or is repeated itself. */
function itemNode(list: SchemaTree): SchemaTree {
  const [repeated = list] = list.children;
  return repeated.children.length === 1 ? (repeated.children[0] as SchemaTree) : repeated;
}

/** A map has its values in a repeated group of keys and values. */
function memberNode(owner: SchemaTree, name: string): SchemaTree {
  const [entries] = owner.children;
  const isMap = owner.children.length === 1 && entries?.element.repetition_type === "REPEATED";
  return (isMap ? entries?.children[1] : owner.children.find(({ element }) => element.name === name)) ?? owner;
}

type Element = SchemaTree["element"];

const isJson = ({ converted_type, logical_type }: Element): boolean =>
  converted_type === "JSON" || logical_type?.type === "JSON";

/** Of a decimal; null of all else. */
function scaleOf({ converted_type, logical_type, scale }: Element): number | null {
  if (logical_type?.type === "DECIMAL") return logical_type.scale;
  return converted_type === "DECIMAL" ? (scale ?? 0) : null;
}

/** All digits of a decimal, without zeros at its end. */
function decimalText(stored: number | bigint | Uint8Array, scale: number): string {
  const unscaled = stored instanceof Uint8Array ? signedOf(stored) : BigInt(stored);
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, "");
  return `${unscaled < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

function signedOf(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt.asIntN(bytes.length * 8, BigInt(`0x${Buffer.from(bytes).toString("hex")}`));
}
