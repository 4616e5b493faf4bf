import { limits } from "@touchstone/contracts/limits";
import { decodeItem, type ItemWork } from "./decode-item-thread.ts";
import { type ExportItem, itemFault } from "./wire/export-item.ts";
import { malformed } from "./wire/json-extents.ts";
import type { SpanSource } from "./wire/read-span.ts";

/** Decodes one item off the event loop. Throws a SyntaxError for invalid JSON. */
export type DecodeHeavy = <Kind extends keyof ItemWork>(
  kind: Kind,
  source: SpanSource,
  item: ExportItem,
  nowMs: number,
) => Promise<ItemWork[Kind]>;

/** The body of an export, and the decoder of its heavy items. */
export interface ItemSource extends SpanSource {
  nowMs: number;
  /** For items that would block the event loop; if absent, they are decoded like the others. */
  decodeHeavy?: DecodeHeavy | undefined;
}

/** Larger items may take more than some milliseconds. */
const heavyFromBytes = 256 * 1024;
const heavyFromValues = 16_384;

const tooManyOfAll = `more than ${limits.otlpExportValuesMax} values in the whole export`;

/**
 * Decodes the items of one export: light ones at once, heavy ones in `decodeHeavy`. Items beyond
 * `limits.otlpExportValuesMax` are rejected unread. Throws OtlpDecodeError for invalid JSON.
 */
export function createItemDecoder({ decodeHeavy, nowMs, ...source }: ItemSource) {
  let valuesLeft: number = limits.otlpExportValuesMax;

  /** Protobuf values are counted only while they are read. */
  function counted<Work extends ItemWork[keyof ItemWork]>(work: Work): Work {
    if (work !== null && typeof work === "object") valuesLeft -= work.valuesRead;
    return work;
  }

  function take(item: ExportItem): ExportItem {
    if (itemFault(item) !== null) return item;
    if (valuesLeft < 0 || item.values > valuesLeft) return { ...item, fault: tooManyOfAll };
    valuesLeft -= item.values;
    return item;
  }

  return <Kind extends keyof ItemWork>(kind: Kind, given: ExportItem): ItemWork[Kind] | Promise<ItemWork[Kind]> => {
    const item = take(given);
    const refuse = (thrown: unknown): never => {
      throw thrown instanceof SyntaxError ? malformed(item.start, thrown) : thrown;
    };
    if (decodeHeavy !== undefined && isHeavy(item)) {
      return decodeHeavy(kind, source, item, nowMs).then(counted, refuse);
    }
    try {
      return counted(decodeItem({ kind, source, item, nowMs }));
    } catch (thrown) {
      return refuse(thrown);
    }
  };
}

function isHeavy(item: ExportItem): boolean {
  const isLarge = item.end - item.start > heavyFromBytes || item.values > heavyFromValues;
  return isLarge && itemFault(item) === null;
}
