import { expect, test } from "vitest";
import { chooseSharedBuffers, readMemoryBytes } from "../src/postgres-settings.ts";

const gibibyte = 1024 ** 3;

test.for([
  ["a small machine", 1, "128MB"],
  ["a laptop", 12, "1024MB"],
  ["a server", 24, "2048MB"],
  ["a large server", 256, "4096MB"],
] as const)("PostgreSQL keeps pages in a twelfth of the memory of %s", ([, memory, expected]) => {
  expect(chooseSharedBuffers(memory * gibibyte)).toBe(expected);
});

test("the available memory is a number of bytes, with or without a control group's limit", () => {
  expect(readMemoryBytes()).toBeGreaterThan(64 * 1024 ** 2);
  expect(Number.isFinite(readMemoryBytes())).toBe(true);
});
