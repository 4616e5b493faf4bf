import { setTimeout as sleep } from "node:timers/promises";
import { openBrowser } from "../../../integration/src/browser.ts";
import type { Attack } from "../attack.ts";
import { everyMs, untilOver } from "../attacker/at-once.ts";
import { fill } from "../payloads/characters.ts";
import { password } from "../tenants.ts";

const signIn = "/auth/sign-in/email";
/** Long enough for eight guesses in between. */
const ownerEveryMs = 4_000;

/** A stranger guesses the password of a known address while its owner signs in. */
export const guessedPasswords: Attack = {
  name: "guessed-passwords",
  does: "A wrong password for a known address every 0.5 s from other addresses, and bursts at unknown ones, while the owner signs in with the right one.",
  setting: "organizations",
  async prepare({ url, openTenant, clientOf, tally, over }) {
    const { account } = await openTenant("owner");
    if (account === null) throw new Error("There are no accounts.");
    const { email } = account;
    const client = clientOf({ apiKey: "" });
    const guess = (address: string, guessed: string) =>
      client.post(signIn, { email: address, password: guessed }, { origin: url });

    async function signInAsOwner(): Promise<void> {
      const startedMs = performance.now();
      const { status, body } = await openBrowser(url, null).send("POST", signIn, { body: { email, password } });
      const tookMs = performance.now() - startedMs;
      if (status !== 200) tally.complain(`The owner's sign-in was answered ${status}: ${JSON.stringify(body)}.`);
      else if (tookMs > 5_000) tally.complain("The owner's sign-in took more than 5 s.");
    }

    return async () => {
      await Promise.all([
        everyMs(500, over, (number) => guess(email, `wrong ${number}`)),
        untilOver({ atOnce: 1, over }, async () => {
          await sleep(ownerEveryMs, undefined, { signal: over }).catch(() => undefined);
          if (!over.aborted) await signInAsOwner();
        }),
        untilOver({ atOnce: 4, pauseMs: 1_000, over }, (number) =>
          guess(`nobody-${number}@example.com`, fill("a", 1 + (number % 128))),
        ),
        untilOver({ atOnce: 1, pauseMs: 2_000, over }, () =>
          client.post("/auth/request-password-reset", { email }, { origin: url }),
        ),
      ]);
    };
  },
};
