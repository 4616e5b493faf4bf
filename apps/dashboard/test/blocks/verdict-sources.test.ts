import { expect, test } from "vitest";
import {
  verdictOfOccurrence,
  verdictsOfEvaluations,
  verdictsOfResult,
  verdictsOfSession,
  verdictsOfTrace,
} from "../../src/blocks/verdict-sources.ts";

const run = {
  datasetId: "dataset",
  evaluationSettingsId: null,
  scorerGroupId: null,
  scorerBreakdown: [{ scorerId: "dataset", name: "Support answers", primary: true }],
};
const row = {
  rating: 9.5,
  justification: "Names both tents.",
  status: "scored" as const,
  traceId: "trace",
  verdictSource: "cache" as const,
  judgeScorerResults: null,
};

test("a result's first verdict is the run's own, by the dataset's criteria where no settings are named", () => {
  const [primary, ...further] = verdictsOfResult(row, run, 7);
  expect(primary).toMatchObject({
    key: "primary",
    verdictId: null,
    rating: 9.5,
    threshold: 7,
    source: "cache",
    scorer: { kind: "judge", name: "Support answers", settingsId: "dataset" },
  });
  expect(further).toEqual([]);
});

test("the settings of the run go before the dataset, a scorer group before both", () => {
  const [bySettings] = verdictsOfResult(row, { ...run, evaluationSettingsId: "settings" });
  expect(bySettings?.scorer.settingsId).toBe("settings");
  const [byGroup] = verdictsOfResult(row, { ...run, evaluationSettingsId: "settings", scorerGroupId: "group" });
  expect(byGroup?.scorer).toMatchObject({ kind: "group", settingsId: null, evaluatorId: "group" });
});

test("each further judge of a result has its own verdict, a skipped one with its code", () => {
  const judgeScorerResults = [
    { scorerId: "tone", name: "Tone", rating: null, justification: "No key.", status: "skipped", skipCode: "no_key" },
  ] as const;
  const [, tone] = verdictsOfResult({ ...row, judgeScorerResults }, run, 7);
  expect(tone).toMatchObject({ key: "tone", rating: null, threshold: null, status: "skipped", skipCode: "no_key" });
});

test("a listed trace shows the verdict furthest below its threshold first", () => {
  const said = (scorerName: string, rating: number, threshold: number | null) => ({ scorerName, rating, threshold });
  const judgeScores = { verdicts: [said("a", 1, null), said("b", 4, 5), said("c", 3, 5), said("d", 9, 5)] };
  const names = verdictsOfTrace({ _id: "trace", judgeScores }).map(({ scorer }) => scorer.name);
  expect(names).toEqual(["c", "b", "a", "d"]);
  expect(verdictsOfTrace({ _id: "trace", judgeScores: null })).toEqual([]);
});

test("an evaluation takes its threshold from the trace's own scores by the scorer's name", () => {
  const evaluation = {
    id: "e",
    kind: "judge" as const,
    evaluatorId: "evaluator",
    evaluatorName: "Helpful",
    rating: 2,
    justification: null,
    createdAt: "2026-11-23T14:00:00.000Z",
  };
  const judgeScores = { verdicts: [{ scorerName: "Helpful", rating: 2, threshold: 5 }] };
  const [known] = verdictsOfEvaluations([evaluation], { _id: "trace", judgeScores });
  expect(known).toMatchObject({ key: "e", traceId: "trace", threshold: 5, scorer: { evaluatorId: "evaluator" } });
  const [unknown] = verdictsOfEvaluations([evaluation], { _id: "trace" });
  expect(unknown?.threshold).toBeNull();
});

test("an occurrence has a verdict only where a scorer gave a rating; the signal's key names the scorer", () => {
  const occurrence = { id: "o", traceId: "trace", seenAt: "2026-11-23T14:00:00.000Z", rating: 1.5 };
  const { rating: _, ...unrated } = occurrence;
  expect(verdictOfOccurrence({ patternKey: "tool-failure" }, unrated)).toBeNull();
  expect(verdictOfOccurrence({ patternKey: "online-eval:7" }, occurrence)?.scorer).toMatchObject({
    kind: "judge",
    evaluatorId: "7",
    name: null,
  });
  expect(verdictOfOccurrence({ patternKey: "scorer-group:8" }, occurrence)?.scorer).toMatchObject({
    kind: "group",
    evaluatorId: "8",
  });
  expect(verdictOfOccurrence({ patternKey: "custom-scorer:9" }, occurrence)?.scorer).toMatchObject({
    kind: "other",
    name: "custom-scorer:9",
  });
});

test("a session's score names its judge and model", () => {
  const [verdict] = verdictsOfSession([
    {
      _id: "s",
      sessionId: "session",
      kind: "online-eval:7",
      rating: null,
      justification: null,
      judgeModel: "demo-judge",
      createdAt: "2026-11-23T14:00:00.000Z",
    },
  ]);
  expect(verdict).toMatchObject({ status: "skipped", model: "demo-judge", sessionId: "session", traceId: null });
});

test("wherever a rating comes with the id of its record, its verdict has it", () => {
  const beside = {
    scorerId: "tone",
    name: "Tone",
    rating: 4,
    justification: null,
    status: "scored",
    verdictId: "b",
  } as const;
  const result = { ...row, verdictId: "a", judgeScorerResults: [beside] };
  expect(verdictsOfResult(result, run).map(({ verdictId }) => verdictId)).toEqual(["a", "b"]);

  const said = { rating: 3, justification: null, createdAt: "2026-01-01T00:00:00.000Z", verdictId: "c" };
  const evaluation = { ...said, id: "1", kind: "judge" as const, evaluatorId: "e", evaluatorName: "Helpful" };
  expect(verdictsOfEvaluations([evaluation], { _id: "trace" })[0]?.verdictId).toBe("c");
  const score = { ...said, _id: "2", sessionId: "s", kind: "online-eval:e", judgeModel: null };
  expect(verdictsOfSession([score])[0]?.verdictId).toBe("c");
});
