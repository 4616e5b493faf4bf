import { expect, test } from "vitest";
import { runsOfJudge } from "../../src/judges/runs-of-judge.ts";

const run = {
  runId: "run",
  evaluationSettingsId: null,
  additionalScorerIds: null,
  scorerBreakdown: null,
  averageRating: 7,
  createdAt: "2026-11-23T14:00:00.000Z",
};

test("a run belongs to its main judge and to each further one, with that judge's own mean", () => {
  const breakdown = [
    { scorerId: "data set", primary: true, averageRating: 7 },
    { scorerId: "tone", primary: false, averageRating: 8 },
  ];
  const runs = [
    { ...run, runId: "main", evaluationSettingsId: "tone", evaluationSubject: { displayName: "agent" } },
    { ...run, runId: "further", additionalScorerIds: ["tone"], scorerBreakdown: breakdown },
    { ...run, runId: "unrated", additionalScorerIds: ["tone"] },
    { ...run, runId: "other", additionalScorerIds: ["policy"] },
  ];
  expect(runsOfJudge("tone", runs)).toMatchObject([
    { runId: "main", name: "agent", isPrimary: true, rating: 7 },
    { runId: "further", name: "Run", isPrimary: false, rating: 8 },
    { runId: "unrated", rating: null },
  ]);
});
