import type { Queryable } from "@touchstone/db";
import { attemptsRememberedMs } from "./sign-in-attempt-store.ts";

/** The largest number of rows that one statement deletes. */
export const batchRows = 1_000;

/** Expired rows, and their expiry times. They are never read again. */
export const expired = [
  { name: "sessions", table: "auth.sessions", key: "id", column: "expires_at", agoMs: 0 },
  { name: "verifications", table: "auth.verifications", key: "id", column: "expires_at", agoMs: 0 },
  {
    name: "sign_in_attempts",
    table: "auth.sign_in_attempts",
    key: "address_hash",
    column: "last_at",
    agoMs: attemptsRememberedMs,
  },
] as const;

/** Deletes a batch of rows, without those that another replica is deleting; returns their number. */
export async function deleteExpired(
  database: Queryable,
  { name, table, key, column, agoMs }: (typeof expired)[number],
): Promise<number> {
  const { rowCount } = await database.query({
    name: `expired_delete_${name}`,
    text: `
      delete from ${table}
      where ${key} in (
        select ${key} from ${table}
        where ${column} < now() - $1 * interval '1 millisecond'
        order by ${column}
        limit $2
        for update skip locked
      )`,
    values: [agoMs, batchRows],
  });
  return rowCount ?? 0;
}
