import { expect, test } from "vitest";
import { caseFileName, caseFiles } from "../../src/datasets/export-cases.ts";

const questions = [
  { main_question: { query: 'Say "hi", twice', expectedResults: "hi\nhi" } },
  { main_question: { query: "b", expectedCapabilities: ["search", "refund"] }, tags: ["x"] },
];

test("CSV has the columns that are filled, and quotes what needs it", () => {
  expect(caseFiles.csv.render(questions)).toBe(
    'query,expected_results,expected_capabilities\n"Say ""hi"", twice","hi\nhi",\nb,,search;refund\n',
  );
});

test("CSV has an apostrophe before what a spreadsheet would run, also where the text begins with apostrophes", () => {
  const queries = ["=1+1", "+1", "-1", "@a", "'=1", "'a", "a=1", "\t=1"];
  const csv = caseFiles.csv.render(queries.map((query) => ({ main_question: { query } })));
  expect(csv.trimEnd().split("\n").slice(1)).toEqual(["'=1+1", "'+1", "'-1", "'@a", "''=1", "'a", "a=1", "'\t=1"]);
});

test("JSON and JSON Lines keep everything", () => {
  expect(JSON.parse(caseFiles.json.render(questions))).toEqual(questions);
  const lines = caseFiles.jsonl.render(questions).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(questions);
});

test("a file is named after its dataset", () => {
  expect(caseFileName("Refund policy (v2)", "csv")).toBe("refund-policy-v2.csv");
  expect(caseFileName("!", "json")).toBe("dataset.json");
});
