import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { expect, test } from "vitest";
import { repositoryFiles, repositoryRoot } from "../repository-files.ts";

const { rooms }: { rooms: Record<string, Record<string, string>> } = createRequire(import.meta.url)("./rooms.cjs");

/** The imports between the rooms of a service, as `room target`. */
async function importsOf(service: string): Promise<Set<string>> {
  const root = `services/${service}/src`;
  const roomOf = (file: string): string => path.relative(root, file).replace(/(\/|\.ts$).*/, "");
  const used = new Set<string>();
  for (const file of await repositoryFiles()) {
    if (!file.startsWith(`${root}/`) || !file.endsWith(".ts")) continue;
    const text = await readFile(path.join(repositoryRoot, file), "utf8");
    for (const [, target = ""] of text.matchAll(/ from "(\.[^"]+)"/g)) {
      used.add(`${roomOf(file)} ${roomOf(path.join(path.dirname(file), target))}`);
    }
  }
  return used;
}

test.for(Object.entries(rooms))(
  "the rooms of %s are in order, and each uses all that it may import",
  async ([service, own]) => {
    const used = await importsOf(service);
    const names = Object.keys(own);
    const wrong = Object.entries(own).flatMap(([room, may]) =>
      may
        .split(" ")
        .filter((target) => target !== "" && target !== "*")
        .flatMap((target) => {
          const isAbove = names.includes(target) && names.indexOf(target) < names.indexOf(room);
          return used.has(`${room} ${target}`) && !isAbove
            ? []
            : [`${room}: ${target}${isAbove ? " is above it" : ""}`];
        }),
    );
    expect(wrong).toEqual([]);
  },
);
