import { limits } from "@touchstone/contracts";
import { describe, expect, test } from "vitest";
import { datasetEdits } from "../src/datasets/dataset-edits.ts";
import { listDatasetItems } from "../src/datasets/dataset-work-thread.ts";

const mebibyte = 1024 * 1024;
const tooLarge = { code: "bad_request", message: "The dataset would be larger than 10 MiB" };

/** A dataset in which edits follow one another. */
function openDataset(questions: object[] = []) {
  let document = JSON.stringify({ name: "orders", questions });
  const current = () => ({ id: "d1", version: 1, document, createdAt: new Date(0) });
  const keep = (...items: Record<string, unknown>[]) => {
    const sent = items.map(({ id, ...members }) => ({ id: id as string, text: JSON.stringify(members) }));
    const edited = datasetEdits.keepItems(current(), { items: sent, at: new Date(1) });
    document = edited.document;
    return edited.outcome.map((each) => (typeof each === "string" ? JSON.parse(each) : each));
  };
  return {
    keep,
    cases: () => JSON.parse(document).questions,
    list(offset: number, limit: number) {
      const worked = listDatasetItems({ current: current(), offset, limit });
      return "value" in worked ? JSON.parse(String(worked.value)) : worked;
    },
    /** What a person saves in the dashboard. */
    correct(index: number, change: object) {
      const before = this.cases()[index];
      const text = Buffer.from(JSON.stringify({ ...before, main_question: { ...before.main_question, ...change } }));
      document = datasetEdits.putCase(current(), { text, index, read: 1 }).document;
    },
    deleteCase(index: number) {
      document = datasetEdits.deleteCase(current(), { index, read: 1 }).document;
    },
  };
}

describe("an item whose members are null", () => {
  test("keeps what it has when it is known already: clients send null for what their caller did not name", () => {
    const dataset = openDataset();
    const sent = { input: { q: "Where is it?" }, expectedOutput: "In Rome", metadata: { set: 1 } };
    dataset.keep({ id: "a", ...sent });
    const before = dataset.cases()[0];
    const nothing = { input: null, expectedOutput: null, metadata: null, status: null };

    expect(dataset.keep({ id: "a", ...nothing })).toMatchObject([sent]);
    expect(dataset.cases()[0]).toEqual(before);
    expect(dataset.keep({ id: "a", ...nothing, status: "ARCHIVED" })).toMatchObject([{ ...sent, status: "ARCHIVED" }]);
    expect(dataset.cases()[0].main_question).toEqual(before.main_question);
  });

  test.each([{}, { input: null }])("is answered with the input null when it is made of %j", (sent) => {
    const dataset = openDataset();
    expect(dataset.keep({ id: "a", ...sent, expectedOutput: "In Rome" })).toMatchObject([{ input: null }]);
    expect(dataset.keep({ id: "a", metadata: { set: 1 } })).toMatchObject([
      { input: null, expectedOutput: "In Rome", metadata: { set: 1 } },
    ]);
    expect(dataset.cases()[0].main_question).toEqual({ query: "null", expectedResults: "In Rome" });
  });
});

describe("a case that a person corrected", () => {
  const corrected = () => {
    const dataset = openDataset();
    dataset.keep({ id: "a", input: { text: "Where is it" }, expectedOutput: "In Rome" });
    dataset.correct(0, { query: "Where is it?", expectedResults: "In Paris" });
    return dataset;
  };

  test("keeps what a client's next upsert of its item does not send, and the item is answered as corrected", () => {
    const dataset = corrected();
    expect(dataset.keep({ id: "a", metadata: { set: 1 } })).toMatchObject([
      { input: "Where is it?", expectedOutput: "In Paris", metadata: { set: 1 } },
    ]);
    expect(dataset.cases()[0].main_question).toEqual({ query: "Where is it?", expectedResults: "In Paris" });
  });

  test("takes what a client sends after the correction", () => {
    const dataset = corrected();
    expect(dataset.keep({ id: "a", expectedOutput: ["In Lyon"] })).toMatchObject([
      { input: "Where is it?", expectedOutput: ["In Lyon"] },
    ]);
    expect(dataset.cases()[0].main_question).toEqual({ query: "Where is it?", expectedResults: '["In Lyon"]' });
  });

  test("has no expected output once the person removed it, and an input that nothing changed stays JSON", () => {
    const dataset = openDataset();
    dataset.keep({ id: "a", input: { n: 1 }, expectedOutput: "In Rome" });
    dataset.correct(0, { expectedResults: undefined });
    expect(dataset.keep({ id: "a", status: "ARCHIVED" })).toMatchObject([{ input: { n: 1 }, expectedOutput: null }]);
  });
});

test("an archived item is neither listed nor counted, and cases without an id keep the ids of their places", () => {
  const dataset = openDataset([1, 2].map((n) => ({ main_question: { query: `Question ${n}?` } })));
  dataset.keep({ id: "a", input: "A?" }, { id: "b", input: "B?" });
  dataset.keep({ id: "d1:0", status: "ARCHIVED" }, { id: "a", status: "ARCHIVED" });

  expect(dataset.list(0, 1)).toMatchObject({ items: [{ id: "d1:1", input: "Question 2?" }], totalCount: 2 });
  expect(dataset.list(1, 1)).toMatchObject({ items: [{ id: "b" }], totalCount: 2 });
  dataset.keep({ id: "a", status: "ACTIVE" });
  expect(dataset.list(1, 2)).toMatchObject({ items: [{ id: "a" }, { id: "b" }], totalCount: 3 });
});

describe("a dataset near its largest size", () => {
  test("refuses the item that is too much, not those that are stored together with it", () => {
    const dataset = openDataset();
    const [small, large, other, same] = dataset.keep(
      { id: "small", input: "s" },
      { id: "large", input: "l".repeat(limits.jsonBodyMaxBytes) },
      { id: "other", input: "o" },
      { id: "small", input: "t".repeat(mebibyte) },
    );
    expect(large).toEqual(tooLarge);
    expect([small, other, same]).toMatchObject([{ id: "small" }, { id: "other" }, { id: "small" }]);
    expect(dataset.cases().map(({ id }: { id: string }) => id)).toEqual(["small", "other"]);
  });

  test("may become smaller while it is larger than a request", () => {
    const query = "q".repeat(6 * mebibyte);
    const dataset = openDataset([1, 2, 3].map((n) => ({ main_question: { query: `${query}${n}` } })));
    dataset.deleteCase(0);
    expect(dataset.cases()).toHaveLength(2);
  });
});
