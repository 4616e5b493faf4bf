import type { Database } from "@touchstone/db";
import type { PasswordHashing } from "./password-hashing.ts";
import type { SignInAttempts } from "./sign-in-attempts.ts";

/** The password of somebody who is signed in, asked for once more before what cannot be undone. */
export interface OwnPassword {
  /**
   * `none`: the account has no password. Tries count as those of a sign-in do: `rate_limited` while the address has to
   * wait.
   */
  check(user: { id: string; email: string }, password: string): Promise<"right" | "wrong" | "none">;
}

export function createOwnPassword(dependencies: {
  database: Database;
  hashing: Pick<PasswordHashing, "verify">;
  attempts: SignInAttempts;
}): OwnPassword {
  const { database, hashing, attempts } = dependencies;
  return {
    async check({ id, email }, password) {
      const { rows } = await database.query<{ password: string }>({
        name: "account_password_read",
        text: `
          select password
          from auth.accounts
          where user_id = $1 and provider_id = 'credential' and password is not null`,
        values: [id],
      });
      const hash = rows[0]?.password;
      if (hash === undefined) return "none";
      await attempts.count(email);
      if (!(await hashing.verify({ hash, password }))) return "wrong";
      await attempts.forget(email);
      return "right";
    },
  };
}
