import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { repositoryRoot } from "./repository-files.ts";

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** Rows of the fault matrix that this version survives. */
const promised = [...range(1, 52), ...range(54, 56)];

test("each row of the fault matrix has a test with the title that tests/chaos/README.md gives", async () => {
  const readme = await readFile(path.join(repositoryRoot, "tests/chaos/README.md"), "utf8");
  const rows = [...readme.matchAll(/^\| (\d+) \| [^|]+ \| (.+) \|$/gm)].map(([, row, proofs]) => ({
    row: Number(row),
    proofs: (proofs as string).split("<br>").map((proof) => /^`([^`]+)`: (.+)$/.exec(proof)?.slice(1) ?? [proof]),
  }));

  expect(rows.map(({ row }) => row)).toEqual(promised);
  const missing: string[] = [];
  for (const { row, proofs } of rows) {
    for (const [file = "", title] of proofs) {
      const source = await readFile(path.join(repositoryRoot, file), "utf8").catch(() => "");
      if (title === undefined || !source.includes(`"${title}`)) missing.push(`${row}: ${file}: ${title}`);
    }
  }
  expect(missing).toEqual([]);
});
