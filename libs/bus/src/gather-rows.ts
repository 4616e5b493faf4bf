import type { EventContract } from "@touchstone/contracts";
import type { OutboxRow } from "./outbox-store.ts";

/** Rows of one subject that are published as one event. */
export type Parcel = readonly [OutboxRow, ...OutboxRow[]];

/** An event is one transaction of its consumer, which should be short. */
const parcelCharsMax = 256 * 1024;

/**
 * Groups rows whose events may be combined, up to a size; the others stay alone. A message costs its publisher, the
 * store and its consumer as much for one item as for a hundred.
 */
export function gatherRows(
  rows: readonly OutboxRow[],
  contractOf: (row: OutboxRow) => EventContract | undefined,
): Parcel[] {
  const parcels: [OutboxRow, ...OutboxRow[]][] = [];
  const open = new Map<string, { parcel: OutboxRow[]; chars: number }>();
  for (const row of rows) {
    const chars = row.body.length;
    const growing = open.get(row.subject);
    if (growing !== undefined && growing.chars + chars <= parcelCharsMax) {
      growing.parcel.push(row);
      growing.chars += chars;
      continue;
    }
    const parcel: [OutboxRow] = [row];
    parcels.push(parcel);
    if (contractOf(row)?.gathers !== undefined) open.set(row.subject, { parcel, chars });
  }
  return parcels;
}

/** The body of the event for a group's rows. Throws if one is not JSON. */
export function mergeBodies(parcel: Parcel, { gathers }: EventContract): unknown {
  const bodies = parcel.map(({ body }) => JSON.parse(body));
  if (gathers === undefined || bodies.length === 1) return bodies[0];
  return { ...bodies[0], [gathers]: bodies.flatMap((body) => body[gathers]) };
}
