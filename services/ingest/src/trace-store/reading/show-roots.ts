import { limits } from "@touchstone/contracts";
import type { ListedRow } from "../../assembly/composable.ts";
import { type ComposeLoader, composeList } from "../../assembly/compose.ts";
import type { ListedBodies } from "../../assembly/listed-bodies.ts";
import type { ReadSpan } from "../../model/read-span.ts";
import { textBytesOf } from "../../model/span-body.ts";
import type { RootPage, RootShowing } from "../trace-store.ts";
import type { RootRecord } from "./root-list.ts";
import { toBodilessSpan } from "./span-select.ts";

/** A page of roots before composing. */
type ListedRoots = Omit<RootPage<never>, "items" | "lastId"> & { rows: ListedRow<Omit<ReadSpan, "body">>[] };

/** Text of roots decompressed at a time. */
const groupBytesMax = 4 * 1024 * 1024;

export function toListedRoots(found: readonly RootRecord[], limit: number): ListedRoots {
  // Without any span there is one row with the total.
  const records = found.filter((row) => row.id !== null);
  const shown = records.slice(0, limit);
  const cutAt = shown.findIndex(({ body, digest }) => body === null && digest === null);
  const rows = (cutAt < 0 ? shown : shown.slice(0, cutAt)).map((record) => ({
    span: toBodilessSpan(record),
    body: record.body,
    digest: record.digest,
    textBytes: textBytesOf((record.body ?? record.head) as Buffer, record.body?.length ?? (record.bytes as number)),
  }));
  return {
    rows,
    hasNextPage: records.length > rows.length,
    isCut: cutAt >= 0,
    totalCount: Number(found[0]?.total ?? 0),
  };
}

/** Composes and shows roots until the page is full, by the bytes of the output. Throws ListChangedError. */
export async function showRoots<Item>(
  { rows, ...page }: ListedRoots,
  { loader, listed, showing }: { loader: ComposeLoader; listed: ListedBodies; showing: RootShowing<Item> },
): Promise<RootPage<Item>> {
  const items: Item[] = [];
  let bytes = 0;
  const makeRoom = (): Promise<void> => showing.makeRoom(limits.listBytesMax);
  for await (const group of composeList(rows, { loader, listed, groupBytesMax, makeRoom })) {
    for (const item of await showing.show(group)) {
      bytes += showing.bytesOf(item);
      if (items.length > 0 && bytes > limits.listBytesMax) return finish(true);
      items.push(item);
    }
  }
  return finish(false);

  function finish(isCut: boolean): RootPage<Item> {
    const lastId = rows[items.length - 1]?.span.id ?? null;
    return { ...page, items, lastId, ...(isCut && { hasNextPage: true, isCut }) };
  }
}
