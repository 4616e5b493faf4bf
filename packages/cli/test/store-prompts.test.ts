import { expect, test } from "vitest";
import { Row } from "../src/langfuse/row.ts";
import { labelsHeld, labelsOf, promptHeld, tagsHeld } from "../src/langfuse/store-prompts.ts";

const row = (more: object = {}) => new Row(JSON.stringify({ name: "greeting", prompt: "Hello", config: {}, ...more }));

test("versions of a prompt are compared by their content and commit message, not by their labels", () => {
  const numbersOf = (more: object) => promptHeld(row(more), 1).numbers;
  expect(numbersOf({ labels: ["production"], commitMessage: null })).toEqual(numbersOf({}));
  expect(numbersOf({ prompt: "Hi" })).not.toEqual(numbersOf({}));
  expect(numbersOf({ commitMessage: "Kinder" })).not.toEqual(numbersOf({}));
});

test("labels of a prompt are compared by their versions, without the one that is always the newest", () => {
  const labels = labelsOf(row({ labels: ["production", "latest"] }));
  expect(labelsHeld("greeting", 3, labels)).toEqual([
    { kind: "prompt label", id: "greeting production", group: "greeting", numbers: [3] },
  ]);
  expect(tagsHeld(row({ tags: ["kind"] })).map(({ id }) => id)).toEqual(["greeting, tag kind"]);
});
