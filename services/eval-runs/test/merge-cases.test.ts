import fc from "fast-check";
import { expect, test } from "vitest";
import { mergeCases } from "../src/datasets/merge-cases.ts";

const ask = (query: string, more: object = {}) => JSON.stringify({ main_question: { query, ...more } });

test("a row changes the members that it names of the case with the same question; other rows are new", () => {
  const rich = '{"tags":["x"],"main_question":{"query":"Where is it?","expectedResults":"No.","n":1e400}}';

  const merged = mergeCases(
    [ask("first"), rich],
    [ask(" where  IS it?", { expectedResults: "Yes." }), ask("new")],
    "add",
  );

  const changed = '{"tags":["x"],"main_question":{"query":" where  IS it?","expectedResults":"Yes.","n":1e400}}';
  expect(merged).toEqual({
    texts: [ask("first"), changed, ask("new")],
    added: [ask("new")],
    changed: [changed],
    removed: [],
    equal: 0,
  });
});

test("of rows that ask the same the last counts, of old cases and new ones", () => {
  const rows = [ask("old", { expectedResults: "1" }), ask("new"), ask("old", { expectedResults: "2" }), ask("new")];

  const merged = mergeCases([ask("old")], rows, "add");

  expect(merged.texts).toEqual([ask("old", { expectedResults: "2" }), ask("new")]);
  expect(merged).toMatchObject({ added: { length: 1 }, changed: { length: 1 }, equal: 2 });
});

test("replaced cases are the rows; each is compared with a case that asks the same", () => {
  const cases = [ask("same"), ask("changed", { expectedResults: "1" }), ask("gone")];

  const merged = mergeCases(cases, ['{ "main_question": {"query":"same"} }', ask("changed"), ask("new")], "replace");

  expect(merged).toEqual({
    texts: ['{ "main_question": {"query":"same"} }', ask("changed"), ask("new")],
    added: [ask("new")],
    changed: [ask("changed")],
    removed: [ask("gone")],
    equal: 1,
  });
});

test("a member that is called __proto__ is one like any other", () => {
  const row = '{"main_question":{"query":"a","__proto__":{"b":1}}}';
  expect(mergeCases([ask("a")], [row], "add").texts).toEqual([row]);
});

const asked = fc.record({ query: fc.constantFrom("a", "b", "c", "d"), expectedResults: fc.constantFrom("1", "2") });
const texts = fc.array(
  asked.map(({ query, ...more }) => ask(query, more)),
  { maxLength: 8 },
);

test("whatever is imported: an import that is repeated changes nothing, and every row is counted once", () => {
  fc.assert(
    fc.property(texts, texts, fc.constantFrom("add" as const, "replace" as const), (cases, rows, mode) => {
      const merged = mergeCases(cases, rows, mode);
      expect(merged.added.length + merged.changed.length + merged.equal).toBe(rows.length);
      expect(merged.texts.length).toBe(cases.length + merged.added.length - merged.removed.length);
      const again = mergeCases(merged.texts, rows, mode);
      expect(again.texts).toEqual(merged.texts);
      expect(again.added).toEqual([]);
    }),
  );
});
