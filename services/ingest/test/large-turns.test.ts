import { expect, test, vi } from "vitest";
import { createLargeTurns } from "../src/otlp/large-turns.ts";

test("two are processed at a time, the others in order of arrival, and one that fails ends its turn", async () => {
  const turns = createLargeTurns();
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const work = (index: number) =>
    turns.take({ projectId: "one", organizationId: null }, async () => {
      begun.push(index);
      await new Promise<void>((resolve) => {
        ends[index] = resolve;
      });
      if (index === 1) throw new Error("not an export");
      return index;
    });
  const all = [0, 1, 2, 3].map(work);
  await Promise.resolve();
  expect(begun).toEqual([0, 1]);

  ends[1]?.();
  await expect(all[1]).rejects.toThrow("not an export");
  expect(begun).toEqual([0, 1, 2]);
  ends[0]?.();
  expect(await all[0]).toBe(0);
  expect(begun).toEqual([0, 1, 2, 3]);
  for (const end of ends) end();
  expect(await Promise.all([all[2], all[3]])).toEqual([2, 3]);
});

test("an export of another project waits for one export of a project that sent many", async () => {
  const turns = createLargeTurns();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const all = ["one", "one", "one", "one", "two"].map((projectId) =>
    turns.take({ projectId, organizationId: null }, async () => {
      begun.push(projectId);
      await new Promise<void>((resolve) => ends.push(resolve));
    }),
  );
  for (let ended = 0; ended < all.length; ended += 1) {
    await vi.waitFor(() => expect(ends.length).toBeGreaterThan(ended));
    ends[ended]?.();
  }
  await Promise.all(all);

  expect(begun).toEqual(["one", "one", "one", "two", "one"]);
});
