import { createKeptOutboxStore, type KeptOutboxStore } from "@touchstone/db";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { useIngestDatabase } from "./ingest-database.ts";

const subject = "event.traces.stored.v1";

const database = useIngestDatabase();
let outbox: KeptOutboxStore;

beforeAll(() => {
  outbox = createKeptOutboxStore(database.maintenance, "ingest");
});
beforeEach(async () => {
  await database.maintenance.query({ name: "outbox_clear", text: "delete from ingest.outbox" });
});

/** Commits rows; answers their ids in order. */
async function commit(count: number): Promise<string[]> {
  const { rows } = await database.maintenance.query<{ id: string }>({
    name: "outbox_commit",
    text: `
      insert into ingest.outbox (subject, body)
      select $1, '{}' from generate_series(1, $2::integer)
      returning id::text`,
    values: [subject, count],
  });
  return rows.map(({ id }) => id);
}

async function takeIds(): Promise<string[]> {
  return (await outbox.take("0", 100_000)).map(({ id }) => id);
}

async function countRows(): Promise<number> {
  const { rows } = await database.maintenance.query<{ n: number }>({
    name: "outbox_count",
    text: "select count(*)::integer as n from ingest.outbox",
  });
  return rows[0]?.n ?? 0;
}

/** Publishes rows into a store, at the places from `first` on. */
async function settle(ids: readonly string[], store: string, first = 1): Promise<void> {
  await outbox.settle(ids.map((id, index) => ({ id, store, sequence: first + index })));
}

test("rows are read in numeric order, however many digits they have", async () => {
  const ids = await commit(1_100);
  const taken: string[] = [];
  for (let rows = await outbox.take("0", 100); rows.length > 0; rows = await outbox.take(taken.at(-1) ?? "0", 100)) {
    taken.push(...rows.map(({ id }) => id));
  }
  expect(taken).toEqual(ids);
});

test("a row that was published is not taken again, and is there until it was consumed", async () => {
  const ids = await commit(3);
  await settle(ids.slice(0, 2), "b");
  expect(await takeIds()).toEqual(ids.slice(2));
  await outbox.trim({ store: "b", subject, doneThrough: 1 });
  expect(await countRows()).toBe(2);
  expect(await outbox.holdsPublished()).toBe(true);
  await outbox.trim({ store: "b", subject, doneThrough: 9 });
  expect(await outbox.holdsPublished()).toBe(false);
  expect(await takeIds()).toEqual(ids.slice(2));
  expect(await countRows()).toBe(1);
});

test("only rows of the store and the subject that are spoken of leave", async () => {
  await settle(await commit(2), "b");
  await outbox.trim({ store: "a", subject, doneThrough: 9 });
  await outbox.trim({ store: "b", subject: "event.other.v1", doneThrough: 9 });
  expect(await countRows()).toBe(2);
});

test("rows of an earlier and of a later store, and beyond the end of this one, are to be published again", async () => {
  const ids = await commit(4);
  const [earlier, later, kept, beyond] = ids as [string, string, string, string];
  await settle([earlier], "a");
  await settle([later], "c");
  await settle([kept, beyond], "b", 5);
  expect(await outbox.reopen({ store: "b", lastSequence: 5 })).toBe(3);
  expect(await takeIds()).toEqual([earlier, later, beyond]);
  expect(await outbox.reopen({ store: "b", lastSequence: 5 })).toBe(0);
});

test("more rows than one statement changes are published again, and leave", async () => {
  const ids = await commit(12_000);
  await settle(ids, "a");
  expect(await outbox.reopen({ store: "b", lastSequence: 0 })).toBe(12_000);
  await settle(ids, "b");
  await outbox.trim({ store: "b", subject, doneThrough: 12_000 });
  expect(await countRows()).toBe(0);
});
