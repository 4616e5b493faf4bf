import { expect, test } from "vitest";
import { casesOfVersion, linkClaim } from "../../src/runs/report-claims.ts";

const cases = [
  { key: "3", question: "Can I return a gift card?" },
  { key: "4", question: "Refund" },
];

test("a quoted question is the way to its case", () => {
  expect(linkClaim('It fails "Can I return a gift card?" (0.5).', cases)).toEqual([
    { text: "It fails ", caseKey: null },
    { text: '"Can I return a gift card?"', caseKey: "3" },
    { text: " (0.5).", caseKey: null },
  ]);
});

test("short words and questions of no case stay text", () => {
  const claim = 'It says "Refund" and "Something else entirely".';
  expect(linkClaim(claim, cases)).toEqual([{ text: claim, caseKey: null }]);
});

test("a claim may begin and end with a case, or be empty", () => {
  expect(linkClaim("“Can I return a gift card?”", cases)).toEqual([
    { text: "“Can I return a gift card?”", caseKey: "3" },
  ]);
  expect(linkClaim("", cases)).toEqual([]);
});

test("the cases of a report have the numbers that they have in the version of the run, and none if it is gone", () => {
  const asked = (...questions: string[]) => ({ questions: questions.map((query) => ({ main_question: { query } })) });
  const versions = [
    { versionNumber: 3, snapshot: asked("Second?") },
    { versionNumber: 2, snapshot: asked("First?", "Second?") },
  ];
  expect(casesOfVersion(versions, 2)).toEqual([
    { key: "0", question: "First?" },
    { key: "1", question: "Second?" },
  ]);
  expect(casesOfVersion(versions, 1)).toEqual([]);
  expect(casesOfVersion(versions, null)).toEqual([]);
});
