import { expect, test } from "vitest";
import { createLimitInHand } from "../src/index.ts";

test("work beyond the limit is refused and not started, until running work has ended, with or without success", async () => {
  const limit = createLimitInHand(2, "Too many at the moment; retry.");
  const refused = { code: "service_unavailable", message: "Too many at the moment; retry." };
  const gate = Promise.withResolvers<void>();
  const begun: string[] = [];
  const work = (name: string) =>
    limit(async () => {
      begun.push(name);
      await gate.promise;
      if (name === "second") throw new Error("failed");
      return name;
    });

  const inHand = [work("first"), work("second")];
  await expect(work("third")).rejects.toMatchObject(refused);
  gate.resolve();
  expect((await Promise.allSettled(inHand)).map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);

  expect(await Promise.all([work("fourth"), work("fifth")])).toEqual(["fourth", "fifth"]);
  expect(begun).toEqual(["first", "second", "fourth", "fifth"]);
});
