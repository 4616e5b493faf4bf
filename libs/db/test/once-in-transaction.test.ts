import { expect, test } from "vitest";
import { onceInTransaction, type Queryable } from "../src/index.ts";

test("a transaction reads a project's value once, and separately for every transaction and project", async () => {
  const open = (): Queryable => ({ query: () => Promise.reject(new Error("not asked")) });
  let reads = 0;
  const read = onceInTransaction(async (_transaction, projectId) => {
    reads += 1;
    return `${projectId} ${reads}`;
  });
  const [first, second] = [open(), open()];
  const asked = [read(first, "a"), read(first, "a"), read(first, "b"), read(second, "a")];
  expect(await Promise.all(asked)).toEqual(["a 1", "a 1", "b 2", "a 3"]);
});
