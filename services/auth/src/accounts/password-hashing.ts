import { AppError } from "@touchstone/service-kit";
import { hashPassword, verifyPassword } from "better-auth/crypto";

export interface PasswordHashing {
  hash(password: string): Promise<string>;
  verify(credentials: { hash: string; password: string }): Promise<boolean>;
}

/** scrypt takes 16 MiB and about 50 ms of a thread: more in parallel would only compete. */
const atOnceMax = 2;
const waitingMax = 200;

/**
 * The library's scrypt with limited concurrency: a storm of sign-ins waits in a queue, and beyond `waitingMax` is
 * rejected. `onRefused` receives that error, since the library hides errors.
 */
export function createPasswordHashing(
  onRefused: (error: Error) => void,
  scrypt: PasswordHashing = { hash: hashPassword, verify: verifyPassword },
): PasswordHashing {
  const waiting: (() => void)[] = [];
  let running = 0;

  async function inLine<Result>(work: () => Promise<Result>): Promise<Result> {
    if (running >= atOnceMax) {
      if (waiting.length >= waitingMax) {
        const refusal = new AppError("service_unavailable", "Too many sign-ins at once; retry.");
        onRefused(refusal);
        throw refusal;
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      // The longest waiting call takes this place.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  }

  return {
    hash: (password) => inLine(() => scrypt.hash(password)),
    verify: (credentials) => inLine(() => scrypt.verify(credentials)),
  };
}
