import type { EventContract } from "@touchstone/contracts";
import type { OutboxRow } from "./outbox-store.ts";

/** Rows of one subject that are published as one event. */
export type Parcel = readonly [OutboxRow, ...OutboxRow[]];

/** An event is one transaction of who consumes it, which should not take long. */
const parcelCharsMax = 256 * 1024;

/**
 * Puts rows together whose events may be one, as far as they are not large; the others stay alone. A message costs its
 * publisher, the store and its consumer as much for one item as for a hundred.
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

/** The body of the event that the rows of a parcel are published as. Throws where one is no JSON. */
export function mergeBodies(parcel: Parcel, { gathers }: EventContract): unknown {
  const bodies = parcel.map(({ body }) => JSON.parse(body));
  if (gathers === undefined || bodies.length === 1) return bodies[0];
  return { ...bodies[0], [gathers]: bodies.flatMap((body) => body[gathers]) };
}
