import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { compareWithList, measureCoverage, renderList, type SpecificationRow } from "./coverage.ts";

const rows: SpecificationRow[] = ["spec:a", "spec:a.b", "spec:c"].map((id) => ({ id, section: "S", text: "" }));

test("a row is covered by a test that names it, several rows by one test, and none by a comment", () => {
  const text = `
    test("does a [spec:a] and more [spec:a.b]", () => {});
    // test("does c [spec:c]", () => {});
  `;
  expect(measureCoverage(rows, [{ path: "x.test.ts", text }])).toEqual({ uncovered: [rows[2]], unknown: [] });
});

test("an id in a concatenated name counts too", () => {
  const text = `test(\`[spec:c] for \${kind}\`, () => {});`;
  expect(measureCoverage(rows, [{ path: "x.test.ts", text }]).uncovered).toEqual([rows[0], rows[1]]);
});

test("an id that the specification does not have is reported with its file", () => {
  const text = 'test("[spec:nothing]", () => {});';
  expect(measureCoverage(rows, [{ path: "x.test.ts", text }]).unknown).toEqual(["x.test.ts: spec:nothing"]);
});

test("the list shows which rows lost their test and which gained one", () => {
  const list = renderList([rows[0] as SpecificationRow]);
  expect(compareWithList([rows[0] as SpecificationRow], list)).toEqual({ lost: [], won: [] });
  expect(compareWithList([rows[1] as SpecificationRow], list)).toEqual({ lost: ["spec:a.b"], won: ["spec:a"] });
});

test("every row has a unique, readable id and a text", async () => {
  const real: SpecificationRow[] = JSON.parse(await readFile(path.join(import.meta.dirname, "rows.json"), "utf8"));
  expect(new Set(real.map(({ id }) => id)).size).toBe(real.length);
  for (const { id, text } of real) {
    expect(id).toMatch(/^spec:[a-zA-Z0-9._-]+$/);
    expect(text).toMatch(/\S/);
  }
});
