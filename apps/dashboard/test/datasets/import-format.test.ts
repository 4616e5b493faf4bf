import { describe, expect, test } from "vitest";
import { guessImportFormat, nameOfFile } from "../../src/datasets/import-format.ts";

describe("the format of imported rows", () => {
  test("is determined by the name of the file", () => {
    expect(guessImportFormat("[]", "cases.CSV")).toBe("csv");
    expect(guessImportFormat("query", "cases.ndjson")).toBe("jsonl");
  });

  test("is determined by the first character if the name does not decide it", () => {
    expect(guessImportFormat("  [{}]")).toBe("json");
    expect(guessImportFormat('{"query":"a"}\n{"query":"b"}', "cases.txt")).toBe("jsonl");
    expect(guessImportFormat("query,expected_results\n")).toBe("csv");
  });
});

test("a dataset may be called as its file", () => {
  expect(nameOfFile("refund_policy-v2.csv")).toBe("Refund policy v2");
  expect(nameOfFile("cases")).toBe("Cases");
});
