import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { saysReady } from "../src/postgres-server.ts";
import { chooseSharedBuffers, readMemoryBytes } from "../src/postgres-settings.ts";
import { temporaryFolder } from "./temporary-folder.ts";

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

test("a file that a killed PostgreSQL left does not count as ready, even if the process id is the same", async () => {
  const folder = await temporaryFolder();
  expect(await saysReady(folder, { pid: 7, port: 5001 })).toBe(false);
  const left = ["7", "/data", "1764358800", "5001", "", "127.0.0.1", "5001 0", "ready   ", ""];
  await writeFile(path.join(folder, "postmaster.pid"), left.join("\n"));

  expect(await saysReady(folder, { pid: 7, port: 5001 })).toBe(true);
  expect(await saysReady(folder, { pid: 7, port: 5002 })).toBe(false);
  expect(await saysReady(folder, { pid: 8, port: 5001 })).toBe(false);
});
