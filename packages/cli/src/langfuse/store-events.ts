import { type Event, observationEvent, scoreEvent, traceEvent, traceOfRoot } from "./events.ts";
import { type Doing, newDone } from "./journal.ts";
import { lossesOf } from "./losses.ts";
import type { Row } from "./row.ts";
import type { Store, Stores } from "./store.ts";
import { mediaOf } from "./store-media.ts";

export function storeTraces(stores: Stores): Store {
  return async ({ rows }) => {
    const done = newDone();
    await storeEvents(stores, done, rows.map(traceEvent));
    noteLosses(stores, done, "trace", rows);
    await stores.media?.copy(rows, (row) => ({ traceId: row.id(), observationId: null, datasetItemId: null }), done);
    return done;
  };
}

/** `makesTraces`: there is no list of traces; an observation without a parent says what its trace is. */
export function storeObservations(stores: Stores, makesTraces: boolean): Store {
  return async ({ rows, lost = [] }) => {
    const done = newDone();
    const traces = makesTraces ? rows.flatMap((row) => traceOfRoot(row) ?? []) : [];
    await storeEvents(stores, done, [...traces, ...rows.map(observationEvent)]);
    const added = noteLosses(stores, done, "observation", rows);
    done.lost.push(...lost.filter(({ id }) => added.has(id)));
    const placeOf = (row: Row) => ({ traceId: row.text("traceId"), observationId: row.id(), datasetItemId: null });
    await stores.media?.copy(rows, placeOf, done);
    return done;
  };
}

export function storeScores(stores: Stores): Store {
  return async ({ rows }) => {
    const done = newDone();
    const runIdOf = (id: string) => stores.journal.names.get(`run ${id}`);
    await storeEvents(
      stores,
      done,
      rows.map((row) => scoreEvent(row, runIdOf)),
    );
    noteLosses(stores, done, "score", rows);
    return done;
  };
}

async function storeEvents({ target, journal }: Stores, done: Doing, events: readonly Event[]): Promise<void> {
  const refused = await target.storeEvents(events);
  const known = new Set(events.filter(({ held, scope }) => journal.has(held, scope)).map(({ held }) => held.id));
  done.refused.push(...refused.filter(({ id }) => !known.has(id)));
  done.rows.push(...events.map(({ held, scope }) => ({ held, scope })));
}

/** Notes what has no place of the rows that the journal does not have yet, and returns their ids. */
function noteLosses(
  { journal, media }: Stores,
  done: Doing,
  kind: "trace" | "observation" | "score",
  rows: readonly Row[],
): Set<string> {
  // The rows of the events are in the order of the page; traces that observations make come before them.
  const entries = done.rows.slice(-rows.length);
  const added = rows.filter((_, index) => {
    const entry = entries[index];
    return entry !== undefined && !journal.has(entry.held, entry.scope);
  });
  for (const row of added) done.lost.push(...lossesOf(kind, row, row.id()));
  if (media === null) {
    const member = "reference to media, whose content no file has";
    done.lost.push(...added.flatMap(mediaOf).map(({ id }) => ({ member, id })));
  }
  return new Set(added.map((row) => row.id()));
}
