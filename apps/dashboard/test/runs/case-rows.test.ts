import { expect, test } from "vitest";
import { caseKeyOf, caseQueryOf, groupCases, worstOf } from "../../src/runs/case-rows.ts";
import { judgedBy, resultRow } from "./results.ts";

test("repetitions of a case are one row with the reason of the worst and the figures of the whole case", () => {
  const ofCase = { rating: 6.5, minRating: 4, maxRating: 9, results: 3, baselineRating: 9, delta: -2.5 };
  const rows = groupCases(
    [
      resultRow({ rating: 9, ofCase }),
      resultRow({ runNumber: 2, rating: 4, justification: "It guesses.", ofCase }),
      resultRow({ questionIndex: 1 }),
    ],
    null,
  );
  expect(rows.map(({ key, why, status }) => [key, why, status])).toEqual([
    ["0", "It guesses.", "scored"],
    ["1", "It answers.", "scored"],
  ]);
  expect(rows[0]).toMatchObject({ ofCase, worst: { runNumber: 2 } });
});

test("the order of the list is kept", () => {
  const rows = groupCases([resultRow({ questionIndex: 7 }), resultRow({ questionIndex: 2 })], null);
  expect(rows.map(({ key }) => key)).toEqual(["7", "2"]);
});

test("a paraphrase explains a case only where no repetition is listed", () => {
  const paraphrase = resultRow({ rating: 0, isSmokeTestVariant: true, justification: "It is lost." });
  expect(groupCases([resultRow(), paraphrase], null)[0]).toMatchObject({ why: "It answers." });
  expect(groupCases([paraphrase], null)[0]).toMatchObject({ why: "It is lost." });
});

test("a skipped repetition is the worst only where none is rated, and a failed one is 0 for every scorer", () => {
  const skipped = resultRow({ status: "skipped", rating: null, skipCode: "no_key" });
  const failed = resultRow({ status: "failed", rating: 0, justification: "It timed out." });
  expect(worstOf([skipped, resultRow({ rating: 9 })], null)?.rating).toBe(9);
  expect(worstOf([skipped], null)?.skipCode).toBe("no_key");
  const said = resultRow({ judgeScorerResults: [judgedBy("tone", 3)] });
  expect(groupCases([said, failed], "tone")[0]).toMatchObject({ status: "failed", why: "It timed out." });
});

test("another scorer's ratings and reasons take the place of the run's", () => {
  const [row] = groupCases(
    [
      resultRow({ rating: 1, judgeScorerResults: [judgedBy("tone", 9)] }),
      resultRow({ runNumber: 2, rating: 9, judgeScorerResults: [judgedBy("tone", 3)] }),
    ],
    "tone",
  );
  expect(row).toMatchObject({ worst: { runNumber: 2 }, why: "tone says so." });
});

test("results without a case are rows of their own, found by their id", () => {
  const ids = ["00000000-0000-7000-8000-000000000001", "00000000-0000-7000-8000-000000000002"];
  const rows = groupCases(
    ids.map((_id) => resultRow({ _id, questionIndex: null })),
    null,
  );
  expect(rows.map(({ key }) => key)).toEqual(ids);
});

test("the key of a case asks for its results", () => {
  expect(caseQueryOf(caseKeyOf(resultRow({ questionIndex: 12 })))).toEqual({ questionIndex: "12" });
  const alone = resultRow({ questionIndex: null });
  expect(caseQueryOf(caseKeyOf(alone))).toEqual({ resultId: alone._id });
});
