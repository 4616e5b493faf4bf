import { type TakenLog, takeLog } from "./take-log.ts";
import { findGenAiTrace, type TakenSpan, takeSpan } from "./take-span.ts";
import type { ExportItem } from "./wire/export-item.ts";
import type { SpanSource } from "./wire/read-span.ts";

/** The operations on one item of an export. */
export interface ItemWork {
  span: TakenSpan;
  genAiTrace: string | null;
  log: TakenLog;
}

export interface ItemRequest<Kind extends keyof ItemWork = keyof ItemWork> {
  kind: Kind;
  source: SpanSource;
  item: ExportItem;
  nowMs: number;
}

/** Decodes one item. Throws a SyntaxError for invalid JSON. */
export function decodeItem<Kind extends keyof ItemWork>(request: ItemRequest<Kind>): ItemWork[Kind] {
  const { kind, source, item, nowMs } = request;
  const work = { span: takeSpan, genAiTrace: findGenAiTrace, log: takeLog };
  return work[kind](source, item, nowMs) as ItemWork[Kind];
}

/** An item whose bytes alone were transferred to a thread. */
export interface ItemInThread extends Omit<ItemRequest, "source" | "item"> {
  bytes: Uint8Array;
  contentType: SpanSource["contentType"];
  around: Pick<ExportItem, "values" | "scope" | "resource">;
}

/** Runs {@link decodeItem} in a computing thread; null for invalid JSON. */
export function decodeItemInThread({ kind, bytes, contentType, around, nowMs }: ItemInThread) {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const item: ExportItem = { ...around, start: 0, end: body.length, fault: null };
  try {
    return { work: decodeItem({ kind, source: { body, contentType }, item, nowMs }) };
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return null;
    throw thrown;
  }
}
