import { AppError } from "@touchstone/service-kit";
import { hashPassword, verifyPassword } from "better-auth/crypto";

export interface PasswordHashing {
  hash(password: string): Promise<string>;
  verify(credentials: { hash: string; password: string }): Promise<boolean>;
}

/** scrypt takes 16 MiB and some 50 ms of a thread each time: more at once would only take turns. */
const atOnceMax = 2;
const waitingMax = 200;

/**
 * The library's scrypt, a few at once: a storm of sign-ins waits in line, and beyond `waitingMax` is told to come back.
 * `onRefused` hears of that, since the library hides what it is thrown.
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
      // Whoever waits longest takes this place over.
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
