import type { Database } from "@touchstone/db";
import type { PasswordHashing } from "./password-hashing.ts";
import { readPasswordOfUser } from "./password-reader.ts";
import { type SignInAttempts, userAgain } from "./sign-in-attempts.ts";

/** Asks a signed-in user for the password again before an irreversible action. */
export interface OwnPassword {
  /**
   * `none`: the account has no password. Attempts count like those of a known device at sign-in: throws `rate_limited`
   * while the user has to wait.
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
      const hash = await readPasswordOfUser(database, id);
      if (hash === null) return "none";
      const counted = await attempts.count(email, userAgain(id));
      if (!(await hashing.verify({ hash, password }))) return "wrong";
      await counted.wasRight();
      return "right";
    },
  };
}
