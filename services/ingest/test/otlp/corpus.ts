import { readdirSync, readFileSync } from "node:fs";
import { inflateBody, type OtlpEncoding } from "@touchstone/service-kit";
import type { IncomingSpan } from "../../src/model/span.ts";
import { type DecodedLogs, readLogExport } from "../../src/otlp/decode-log-export.ts";
import { decodeTraceExport } from "../../src/otlp/decode-trace-export.ts";
import type { ExportItem } from "../../src/otlp/wire/export-item.ts";
import { readSpan, type SpanReading, type SpanSource } from "../../src/otlp/wire/read-span.ts";
import { walkSpans } from "../../src/otlp/wire/walk-items.ts";

const root = new URL("../../../../fixtures/otlp/", import.meta.url);

/** A moment shortly after the captures were recorded, so that none of them is in the future. */
export const nowMs = Date.parse("2026-11-21T01:00:00Z");

export const bodyLimitBytes = 64 * 1024 * 1024;

/** One captured request body. */
export interface Capture {
  /** `vercel-ai-v5/01`. */
  name: string;
  file: string;
  signal: string;
  contentType: OtlpEncoding;
  contentEncoding: string | undefined;
}

/** Every capture of a live producer, in the order of folders and files. */
export function listCaptures(): Capture[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("_"))
    .map((entry) => entry.name)
    .sort()
    .flatMap((folder) =>
      readdirSync(new URL(`${folder}/`, root))
        .sort()
        .flatMap((file) => describeCapture(folder, file)),
    );
}

function describeCapture(folder: string, file: string): Capture[] {
  const [, number, signal, type, compressed] = /^(\d\d)\.(\w+)\.(bin|json)(\.gz)?$/.exec(file) ?? [];
  if (number === undefined || signal === undefined || signal === "headers" || file.includes("headers")) return [];
  return [
    {
      name: `${folder}/${number}`,
      file: `${folder}/${file}`,
      signal,
      contentType: type === "json" ? "json" : "protobuf",
      contentEncoding: compressed === undefined ? undefined : "gzip",
    },
  ];
}

/** The files of a folder of hand-made bodies. */
export function listFixtures(folder: string): string[] {
  const files = readdirSync(new URL(`${folder}/`, root)).sort();
  return files.filter((file) => file !== "manifest.json").map((file) => `${folder}/${file}`);
}

export function readFixture(file: string): Buffer {
  return readFileSync(new URL(file, root));
}

export async function readCapture(capture: Capture): Promise<Buffer> {
  return inflateBody(readFixture(capture.file), capture.contentEncoding, bodyLimitBytes);
}

/** A row with its JSON texts parsed, as a person reads it. */
export function readableRow(span: IncomingSpan): Record<string, unknown> {
  const parsed = Object.entries(span).map(([name, value]) => [name, isJsonText(name) ? parse(value) : value]);
  return Object.fromEntries(parsed);
}

function isJsonText(name: string): boolean {
  return ["input", "output", "toolCalls", "metadata", "performanceSummary"].includes(name);
}

function parse(value: unknown): unknown {
  return typeof value === "string" ? JSON.parse(value) : value;
}

/** Decodes a whole fixture whose file name says its content type. */
export function decodeFixture(file: string) {
  return decodeTraceExport({
    body: readFixture(file),
    contentType: file.endsWith(".json") ? "json" : "protobuf",
    nowMs,
  });
}

/** The spans of an export as they came off the wire, or why not. */
export function* readSpans(source: SpanSource): Generator<{ reading: SpanReading; item: ExportItem }> {
  for (const item of walkSpans(source, { names: new Set() })) {
    if (item !== null) yield { reading: readSpan(source, item), item };
  }
}

/** A whole log export in one piece. */
export async function decodeLogs(body: Buffer, contentType: OtlpEncoding): Promise<DecodedLogs> {
  const fragments: DecodedLogs["fragments"] = [];
  const whole = { rowsMax: Number.POSITIVE_INFINITY, bytesMax: Number.POSITIVE_INFINITY };
  const summary = await readLogExport(
    { body, contentType, nowMs },
    whole,
    async (slice) => void fragments.push(...slice),
  );
  return { fragments, ...summary };
}
