import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { compareWithList, measureCoverage, renderList, type SpecificationRow } from "./coverage.ts";

const rows: SpecificationRow[] = ["spec:a", "spec:a.b", "spec:c"].map((id) => ({ id, section: "S", text: "" }));

test("a row is covered by a test that has its id as a tag, several rows by one test, and none by a comment", () => {
  const text = `
    test("does a and more", { tags: ["spec:a", "spec:a.b"] }, () => {});
    // test("does c", { tags: ["spec:c"] }, () => {});
  `;
  expect(measureCoverage(rows, [{ path: "x.test.ts", text }])).toEqual({ uncovered: [rows[2]], unknown: [] });
});

test("the tags of a table of tests and those of its rows count", () => {
  const text = `
    test.for(kinds)("does c for %s", { tags: ["spec:c"] }, () => {});
    for (const [what, tags] of [["b", ["spec:a.b"]]]) test(what, { tags: ["spec:a", ...tags] }, () => {});
  `;
  expect(measureCoverage(rows, [{ path: "x.test.ts", text }])).toEqual({ uncovered: [], unknown: [] });
});

test("an id in a title covers nothing", () => {
  const text = 'test("does a [spec:a], as spec:a.b says", () => {});';
  expect(measureCoverage(rows, [{ path: "x.test.ts", text }])).toEqual({ uncovered: rows, unknown: [] });
});

test("an id that the specification does not have is reported with its file", () => {
  const text = 'test("does a", { tags: ["spec:nothing"] }, () => {});';
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
