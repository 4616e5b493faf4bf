import { analyzeRunReply, report } from "@touchstone/contracts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answer, type RatingSystem, runs, startRatingSystem } from "../src/rating-system.ts";

let system: RatingSystem;

beforeAll(async () => {
  system = await startRatingSystem();
});

afterAll(() => system?.stop());

describe("a report", () => {
  /** The minimal answer of a model: the report computes the rest. */
  const bare = { summary: "Fair.", consistencyScore: 5, instructionAdherence: { score: 5 } };
  const unsaid = { similarities: [], differences: [], outliers: [], rating: "medium" };
  let runId: string;

  beforeAll(async () => {
    runId = await system.createRun();
    await system.submit(runId, [answer("rate me 8"), answer("rate me 5", { questionIndex: 1 })]);
  });

  async function analyze(written: unknown): Promise<Record<string, unknown>> {
    system.narrate(written);
    await system.client.expect({ status: 200, schema: analyzeRunReply }, "POST", `${runs}/${runId}/analyze`);
    const { status, body } = await system.client.send("GET", `${runs}/${runId}/report`);
    expect(status).toBe(200);
    report.parse(body);
    return body as Record<string, unknown>;
  }

  test.for([
    [7.25, 7.25],
    ["7.5", 7.5],
    [11, 10],
    [-3, 0],
  ])(
    "has a score of consistency from 0 to 10 when the model answers %j",
    { tags: ["spec:report.consistencyScore"] },
    async ([said, shown]) => {
      expect(await analyze({ ...bare, consistencyScore: said })).toMatchObject({
        status: "completed",
        consistencyScore: shown,
      });
    },
  );

  test.for([
    ["no score of consistency", { ...bare, consistencyScore: "high" }],
    ["no score of adherence", { ...bare, instructionAdherence: { score: null, analysis: "Good.", rating: "high" } }],
    ["no summary", { ...bare, summary: ["Fair."] }],
    ["no object", ["Fair.", 5]],
  ])(
    "has no narrative, rather than an invented one, when the model answers %s",
    { tags: ["spec:report.consistencyScore", "spec:report.instructionAdherence"] },
    async ([, said]) => {
      const read = await analyze(said);
      expect(Object.keys(read).toSorted()).toEqual(
        ["datasetId", "failureReason", "lowScoringCases", "runId", "stale", "statistics", "status"].toSorted(),
      );
      expect(read).toMatchObject({ status: "failed", statistics: { numberOfRuns: 2, averageRating: 6.5 } });
    },
  );

  test("has the score, analysis, deviations and rating of adherence, and ignores unknown members", {
    tags: ["spec:report.instructionAdherence"],
  }, async () => {
    const deviations = ["No day.", "", 7, null, { text: "no" }, ["x"], " Too long. "];
    const said = { score: "12", analysis: " Mostly. ", deviations, rating: "HIGH ", grade: "A" };
    expect((await analyze({ ...bare, instructionAdherence: said })).instructionAdherence).toEqual({
      score: 10,
      analysis: "Mostly.",
      deviations: ["No day.", "Too long."],
      rating: "high",
    });
    expect((await analyze(bare)).instructionAdherence).toEqual({
      score: 5,
      analysis: "",
      deviations: [],
      rating: "medium",
    });
  });

  test("has similarities, differences, outliers and a rating of the responses", {
    tags: ["spec:report.responsePatterns"],
  }, async () => {
    const said = { similarities: ["Short."], differences: ["Tone."], outliers: ["One list."], rating: "low" };
    expect((await analyze({ ...bare, responsePatterns: said })).responsePatterns).toEqual(said);
    const wrong = { similarities: "Short.", differences: [1], outliers: { 0: "x" }, rating: "very high", more: 1 };
    for (const hostile of [wrong, [], "Short.", null]) {
      expect((await analyze({ ...bare, responsePatterns: hostile })).responsePatterns).toEqual(unsaid);
    }
  });

  test("has the quality, patterns, gaps and rating of the reasoning", {
    tags: ["spec:report.reasoningAnalysis"],
  }, async () => {
    const said = { cotQuality: "Sound.", reasoningPatterns: ["Looks up."], reasoningGaps: ["Dates."], rating: "high" };
    expect((await analyze({ ...bare, reasoningAnalysis: said })).reasoningAnalysis).toEqual(said);
    const wrong = { cotQuality: 9, reasoningPatterns: [[], "Looks up."], reasoningGaps: null, rating: 9, extra: {} };
    expect((await analyze({ ...bare, reasoningAnalysis: wrong })).reasoningAnalysis).toEqual({
      cotQuality: "",
      reasoningPatterns: ["Looks up."],
      reasoningGaps: [],
      rating: "medium",
    });
  });

  test("has the effectiveness, patterns, issues and rating of the use of tools", {
    tags: ["spec:report.toolUsageAnalysis"],
  }, async () => {
    const said = { effectiveness: "Good.", patterns: ["Search first."], issues: ["Retries."], rating: "medium" };
    expect((await analyze({ ...bare, toolUsageAnalysis: said })).toolUsageAnalysis).toEqual(said);
    const wrong = { effectiveness: ["Good."], patterns: false, issues: [null, "Retries."], rating: "Low", tools: 3 };
    expect((await analyze({ ...bare, toolUsageAnalysis: wrong })).toolUsageAnalysis).toEqual({
      effectiveness: "",
      patterns: [],
      issues: ["Retries."],
      rating: "low",
    });
  });

  test("has recommendations of known categories and priorities only", {
    tags: ["spec:report.recommendations"],
  }, async () => {
    const known = ["instructions", "tools", "knowledge", "reasoning", "consistency", "other"];
    const good = known.map((category, index) => ({
      category,
      priority: ["high", "medium", "low"][index % 3],
      recommendation: `Mend ${category}.`,
      reasoning: "It fails.",
    }));
    const hostile = [
      { category: "prompting", priority: "urgent", recommendation: "a", reasoning: 7, effort: "small" },
      { category: ["tools"], priority: 1, recommendation: "b" },
      { category: "tools", priority: "high", reasoning: "It says what for, not what." },
      "c",
      7,
      null,
    ];
    expect((await analyze({ ...bare, recommendations: [...good, ...hostile] })).recommendations).toEqual([
      ...good,
      ...["a", "b", "c"].map((recommendation) => ({
        category: "other",
        priority: "medium",
        recommendation,
        reasoning: "",
      })),
    ]);
    expect((await analyze({ ...bare, recommendations: { 0: good[0] } })).recommendations).toEqual([]);
  });

  test("proposes no change of instructions, whatever the model proposes", {
    tags: ["spec:report.instructionChanges"],
  }, async () => {
    expect((await analyze(bare)).instructionChanges).toEqual([]);
    expect((await analyze({ ...bare, instructionChanges: ["Say the day."] })).instructionChanges).toEqual([]);
  });

  test("has strengths, weaknesses and an overall rating, and only members of the report", {
    tags: ["spec:report.overallAssessment"],
  }, async () => {
    const said = { strengths: ["Facts."], weaknesses: ["Dates."], rating: "low" };
    const stray = { runId: "another", status: "failed", lowScoringCases: [], verdict: "ok" };
    const read = await analyze({ ...stray, ...bare, overallAssessment: { ...said, score: 9 } });
    expect(read.overallAssessment).toEqual(said);
    expect(read).toMatchObject({ runId, status: "completed", lowScoringCases: [{ rating: 5 }] });
    expect(read).not.toHaveProperty("verdict");
    expect((await analyze({ ...bare, overallAssessment: "Fair." })).overallAssessment).toEqual({
      strengths: [],
      weaknesses: [],
      rating: "medium",
    });
  });
});
