import { limits } from "@touchstone/contracts/limits";
import { decodeItem, type ItemWork } from "./decode-item-thread.ts";
import { type ExportItem, itemFault } from "./wire/export-item.ts";
import { malformed } from "./wire/json-extents.ts";
import type { SpanSource } from "./wire/read-span.ts";

/** Decodes one item away from the event loop. Throws a SyntaxError for JSON that is none. */
export type DecodeHeavy = <Kind extends keyof ItemWork>(
  kind: Kind,
  source: SpanSource,
  item: ExportItem,
  nowMs: number,
) => Promise<ItemWork[Kind]>;

/** The body of an export, and how its items are decoded. */
export interface ItemSource extends SpanSource {
  nowMs: number;
  /** For items that would hold the event loop; they are decoded like the others when it is left out. */
  decodeHeavy?: DecodeHeavy | undefined;
}

/** Larger items may take more than some milliseconds. */
const heavyFromBytes = 256 * 1024;
const heavyFromValues = 16_384;

const tooManyOfAll = `more than ${limits.otlpExportValuesMax} values in the whole export`;

/**
 * Decodes the items of one export: light ones at once, heavy ones elsewhere. Those beyond `limits.otlpExportValuesMax`
 * are refused unread. Throws OtlpDecodeError for JSON that is none.
 */
export function createItemDecoder({ decodeHeavy, nowMs, ...source }: ItemSource) {
  let valuesLeft: number = limits.otlpExportValuesMax;

  /** What protobuf held is known when it was read. */
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
