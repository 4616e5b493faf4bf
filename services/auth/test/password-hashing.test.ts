import { expect, test } from "vitest";
import { createPasswordHashing } from "../src/accounts/password-hashing.ts";

test("two passwords are hashed at once, two hundred wait in line, and further ones get a retry response", async () => {
  const refused: Error[] = [];
  const inHand: { password: string; done: PromiseWithResolvers<string> }[] = [];
  let mostAtOnce = 0;
  const hashing = createPasswordHashing((error) => refused.push(error), {
    async hash(password) {
      const done = Promise.withResolvers<string>();
      inHand.push({ password, done });
      mostAtOnce = Math.max(mostAtOnce, inHand.length);
      return done.promise;
    },
    verify: async () => true,
  });

  const asked = Array.from({ length: 203 }, (_, index) =>
    hashing.hash(`password ${index}`).catch((error: Error) => error.message),
  );
  const order: string[] = [];
  for (let next = inHand.shift(); next !== undefined; next = inHand.shift()) {
    order.push(next.password);
    next.done.resolve(`hash of ${next.password}`);
    // The next one begins a few microtasks later.
    await new Promise(setImmediate);
  }
  const answers = await Promise.all(asked);

  expect(mostAtOnce).toBe(2);
  expect(order).toEqual(Array.from({ length: 202 }, (_, index) => `password ${index}`));
  expect(answers.slice(0, 202)).toEqual(order.map((password) => `hash of ${password}`));
  expect(answers[202]).toBe("Too many sign-ins at once; retry.");
  expect(refused).toHaveLength(1);
  expect(await hashing.verify({ hash: "a", password: "b" })).toBe(true);
});

test("a hash that fails releases its place", async () => {
  let failing = true;
  const hashing = createPasswordHashing(() => undefined, {
    async hash() {
      if (failing) throw new Error("no memory");
      return "a hash";
    },
    verify: async () => true,
  });

  for (const _ of [1, 2, 3]) await expect(hashing.hash("a")).rejects.toThrow("no memory");
  failing = false;
  expect(await hashing.hash("a")).toBe("a hash");
});
