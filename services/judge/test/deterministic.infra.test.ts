import { execFileSync } from "node:child_process";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { type JudgeBench, openJudgeBench, type ScoreBody } from "./judge-bench.ts";
import { buildCase, buildRubric } from "./judge-builders.ts";

let bench: JudgeBench;
beforeAll(async () => {
  bench = await openJudgeBench();
});
afterEach(() => bench.clear());
afterAll(() => bench.stop());

const trajectory = {
  steps: [],
  omittedSteps: 0,
  toolCalls: [{ name: "search", input: { q: "order" } }, { name: "answer" }],
  toolDefinitions: [],
};

const deterministic: ScoreBody["deterministic"] = {
  codeScorers: [
    { name: "Judges", code: "return { score: scores.rating, reasoning: JSON.stringify(scores.judges) };" },
    { name: "Calls", code: "return toolCalls === undefined ? -1 : toolCalls.length;" },
    { name: "Broken", code: "throw new Error(expected);" },
  ],
  trajectoryMatch: { tools: ["search", "answer"], mode: "strict", linked: true },
  contextMatch: { expected: "orders ship in two days", actual: "orders ship in a week" },
};

const noMetrics = { jaccard: false, bleu: false, rouge: false, vector: null };

test("code scorers run after the judges and see their verdicts; trajectory and context follow", async () => {
  await bench.startJudge();
  bench.llm.answerWith(({ prompt }) => ({
    kind: "verdict",
    rating: prompt.includes("Polite.") ? 2 : 8,
    justification: "So.",
    delayMs: 50,
  }));
  const tone = buildRubric({ id: "tone", name: "Tone", acceptanceCriteria: "Polite." });

  const reply = await bench.ask({
    judges: [buildRubric({ name: "Main" }), tone],
    case: buildCase({ expected: "On Tuesday.", trajectory }),
    deterministic,
  });

  expect(reply.deterministic).toEqual([
    { name: "Judges", score: 8, reasoning: '{"Main":8,"Tone":2}' },
    { name: "Calls", score: 2 },
    { name: "Broken", score: null, error: "On Tuesday." },
    {
      name: "Trajectory match (strict)",
      score: 1,
      reasoning: "Expected: search, answer. Actual: search, answer.",
    },
    { name: "Context match (jaccard)", score: expect.closeTo(3 / 7, 12) },
  ]);
});

test("where a group rates, its score is the rating that code scorers see", async () => {
  await bench.startJudge();
  bench.llm.answerWith(({ prompt }) => ({
    kind: "verdict",
    rating: prompt.includes("Polite.") ? 2 : 8,
    justification: "So.",
  }));
  const members = ["a", "b"].map((refId) => ({ kind: "judge" as const, refId, name: refId, weight: 1, gate: false }));

  const reply = await bench.ask({
    judges: [buildRubric({ id: "a", name: "A" }), buildRubric({ id: "b", name: "B", acceptanceCriteria: "Polite." })],
    group: { name: "Both", members },
    deterministic,
  });

  expect(reply.group?.rating).toBe(5);
  expect(reply.deterministic[0]).toEqual({ name: "Judges", score: 5, reasoning: '{"A":8,"B":2}' });
});

test("without a key for any judge the scorers that need none are computed all the same", async () => {
  await bench.startJudge({ OPENAI_API_KEY: "", OPENAI_BASE_URL: "" });
  const reply = await bench.ask({ deterministic });
  expect(reply.verdicts).toMatchObject([{ status: "skipped", reason: "no_key" }]);
  expect(reply.deterministic).toMatchObject([
    { name: "Judges", score: null, reasoning: "{}" },
    { name: "Calls", score: -1 },
    { name: "Broken", score: null },
    { name: "Trajectory match (strict)", score: null, error: "No trace is linked to this result" },
    { name: "Context match (jaccard)", score: expect.closeTo(3 / 7, 12) },
  ]);
});

test("a judge that does not answer within the result's time costs no row of a code scorer", async () => {
  await bench.startJudge();
  // The time kept back is short here, so the sandbox is started before.
  await bench.ask({ judges: [], similarity: noMetrics, deterministic });
  bench.llm.answerWith(() => ({ kind: "silence" }));
  const reply = await bench.ask({ case: buildCase({ trajectory }), similarity: noMetrics, deterministic }, 6_000);
  expect(reply.verdicts).toMatchObject([{ status: "skipped", reason: "timeout" }]);
  expect(reply.deterministic.map((row) => row.score)).toEqual([null, 2, null, 1, expect.closeTo(3 / 7, 12)]);
});

test("the processes of code scorers end with the service", async () => {
  await bench.startJudge();
  await bench.ask({ judges: [], similarity: noMetrics, deterministic });
  const running = () =>
    execFileSync("ps", ["-o", "args=", "--ppid", String(process.pid)], { encoding: "utf8" })
      .split("\n")
      .filter((line) => line.includes("scorers/code/child/main.ts"));
  expect(running().length).toBeGreaterThan(0);
  await bench.stopJudges();
  await vi.waitFor(() => expect(running()).toEqual([]));
});
