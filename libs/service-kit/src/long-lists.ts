import type { Sliced } from "./run-in-slices.ts";

/** Items between two points to pause: a tenth of a millisecond to one. */
const pieceItems = 500;

/** Calls `visit` for each item, in order, with points to pause. */
export function* forEachInSlices<Item>(
  items: Iterable<Item>,
  visit: (item: Item, index: number) => void,
): Sliced<void> {
  let index = 0;
  for (const item of items) {
    visit(item, index);
    index += 1;
    if (index % pieceItems === 0) yield;
  }
}

/** As `map` of an array, with points to pause. */
export function* mapInSlices<Item, Mapped>(
  items: readonly Item[],
  map: (item: Item, index: number) => Mapped,
): Sliced<Mapped[]> {
  const mapped: Mapped[] = [];
  yield* forEachInSlices(items, (item, index) => {
    mapped.push(map(item, index));
  });
  return mapped;
}

/** As `filter` of an array, with points to pause. */
export function* filterInSlices<Item>(items: readonly Item[], isWanted: (item: Item) => boolean): Sliced<Item[]> {
  const wanted: Item[] = [];
  yield* forEachInSlices(items, (item) => {
    if (isWanted(item)) wanted.push(item);
  });
  return wanted;
}

/** As `toSorted` of an array, with points to pause; also stable. */
export function* sortInSlices<Item>(items: readonly Item[], order: (one: Item, other: Item) => number): Sliced<Item[]> {
  let runs: Item[][] = [];
  for (let start = 0; start < items.length; start += pieceItems) {
    runs.push(items.slice(start, start + pieceItems).sort(order));
    yield;
  }
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      const [one, other] = [runs[at] as Item[], runs[at + 1]];
      merged.push(other === undefined ? one : yield* mergeInSlices(one, other, order));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergeInSlices<Item>(
  one: readonly Item[],
  other: readonly Item[],
  order: (one: Item, other: Item) => number,
): Sliced<Item[]> {
  const merged: Item[] = [];
  let [left, right] = [0, 0];
  while (left < one.length && right < other.length) {
    const isLeft = order(one[left] as Item, other[right] as Item) <= 0;
    merged.push((isLeft ? one[left++] : other[right++]) as Item);
    if (merged.length % pieceItems === 0) yield;
  }
  for (; left < one.length; left += 1) merged.push(one[left] as Item);
  for (; right < other.length; right += 1) merged.push(other[right] as Item);
  return merged;
}
