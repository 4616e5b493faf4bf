import type { Database } from "@touchstone/db";
import { expect, vi } from "vitest";

/** A promise and the function that fulfils it: how a test holds a judge until it says go. */
export function createGate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Waits for a condition that another process or connection brings about. */
export async function until(condition: () => void | Promise<void>): Promise<void> {
  await vi.waitFor(condition);
}

/** Waits until exactly one statement in the database waits for a lock. */
export async function untilOneWaits(database: Database): Promise<void> {
  await until(async () => {
    const { rows } = await database.query({
      name: "test_waiting",
      text: `
        select pid
        from pg_locks
        join pg_stat_activity using (pid)
        where not granted
          and datname = current_database()`,
    });
    expect(rows).toHaveLength(1);
  });
}
