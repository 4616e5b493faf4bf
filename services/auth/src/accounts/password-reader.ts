import type { Queryable } from "@touchstone/db";

/**
 * The stored hash of the password of the account with an address, as the accounts library stores addresses; null without one.
 * It changes with the password.
 */
export async function readPasswordOfAddress(database: Queryable, address: string): Promise<string | null> {
  const { rows } = await database.query<{ password: string }>({
    name: "known_device_password_read",
    text: `
      select accounts.password
      from auth.users
      join auth.accounts on accounts.user_id = users.id
      where users.email = $1 and accounts.provider_id = 'credential' and accounts.password is not null`,
    values: [address],
  });
  return rows[0]?.password ?? null;
}

/** The stored hash of a user's password; null without one. */
export async function readPasswordOfUser(database: Queryable, userId: string): Promise<string | null> {
  const { rows } = await database.query<{ password: string }>({
    name: "account_password_read",
    text: `
      select password
      from auth.accounts
      where user_id = $1 and provider_id = 'credential' and password is not null`,
    values: [userId],
  });
  return rows[0]?.password ?? null;
}
