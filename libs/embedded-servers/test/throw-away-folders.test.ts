import { mkdir, readdir, utimes } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { makeTemporaryFolder } from "../src/temporary-folder.ts";
import { temporaryFolder } from "./temporary-folder.ts";

test("folders of killed processes are deleted, those in use and those of others are not", async () => {
  const parent = await temporaryFolder();
  const gone = 2 ** 30;
  const names = {
    forgotten: `touchstone-nats-${gone}-aaaaaa`,
    recent: `touchstone-nats-${gone}-bbbbbb`,
    inUse: `touchstone-nats-${process.pid}-cccccc`,
    foreign: "touchstone-notes-1-dddddd",
  };
  const longAgo = new Date(Date.now() - 2 * 3_600_000);
  for (const [kind, name] of Object.entries(names)) {
    await mkdir(path.join(parent, name));
    if (kind !== "recent") await utimes(path.join(parent, name), longAgo, longAgo);
  }
  const made = await makeTemporaryFolder(parent, { prefix: "touchstone-nats" });
  expect((await readdir(parent)).sort()).toEqual(
    [names.recent, names.inUse, names.foreign, path.basename(made)].sort(),
  );
});
