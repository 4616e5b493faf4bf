import {
  createRunReply,
  dataset,
  evaluateTraceReply,
  judgeScorerReply,
  run,
  submitResultsReply,
  traceList,
} from "@touchstone/contracts";
import { buildResult } from "@touchstone/testkit";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { useJudged } from "../src/use-combined.ts";

let traceId: string;

const evaluations = "/custom-agent-evaluations";

const { llm, client } = useJudged(() => ({ kind: "verdict", rating: 9, justification: "As recorded." }));

beforeAll(async () => {
  // An agent that retrieved two documents and called the tool get_weather.
  await client.sendCapture("openinference-openai/01.traces.bin");
  const { traces } = await client.expect({ status: 200, schema: traceList }, "GET", "/ingest/traces");
  traceId = traces[0]?._id as string;
});

let asked = 0;
beforeEach(() => {
  asked = llm.requests.length;
});

/** The only prompt sent since the test began. */
function onlyPrompt(): string {
  const prompts = llm.requests.slice(asked).map(({ prompt }) => prompt);
  expect(prompts).toHaveLength(1);
  return prompts[0] as string;
}

test("a recorded trace is graded by a config: its judge reads the agent's steps, retrieved documents and available tools", async () => {
  const config = {
    name: "Grounded",
    judge: {
      acceptanceCriteria: "Says what was found.",
      judgePrompt: "Of {context} judge {output}",
      toolContext: "detailed",
    },
    offline: {
      codeScorers: [
        {
          name: "Tools",
          code: "return { score: toolCalls.length, reasoning: toolCalls.map((call) => call.name).join() }",
        },
        { name: "Rating", code: "return scores.rating / 10" },
      ],
    },
  };
  const created = { status: 201, schema: judgeScorerReply };
  const { judgeScorer } = await client.expect(created, "POST", "/agent-monitoring/judge-scorers", config);

  const graded = await client.expect(
    { status: 200, schema: evaluateTraceReply },
    "POST",
    `/ingest/traces/${traceId}/evaluate`,
    { datasetId: judgeScorer._id, question_index: 3 },
  );

  expect(graded).toMatchObject({ trace_id: traceId, rating: 9, justification: "As recorded." });
  const prompt = onlyPrompt();
  expect(prompt).toContain("[retrieval 1] Paris is mild in autumn.");
  expect(prompt).toContain("[retrieval 2] Lyon is warm.");
  expect(prompt).toMatch(/6\. get_weather \(\d+ ms\)\n\s+input: \{"city":"Paris"\}\n\s+output: \{"temperature":18\}/);
  expect(prompt).toContain('get_weather: {"name":"get_weather","description":"Get weather"');
  expect(prompt).toContain("Says what was found.");
  const read = await client.expect({ status: 200, schema: run }, "GET", `${evaluations}/runs/${graded.run_id}`);
  expect(read).toMatchObject({
    datasetId: judgeScorer._id,
    evaluationSettingsId: judgeScorer._id,
    runSource: "trace-eval",
    status: "completed",
    results: [
      {
        questionIndex: null,
        input: { query: "What is the weather in Paris?" },
        output: { text: "It is 18 °C and sunny in Paris." },
        traceId,
        inputTokens: 240,
        codeScorerResults: [
          { name: "Tools", score: 1, reasoning: "get_weather" },
          { name: "Rating", score: 0.9 },
        ],
      },
    ],
  });
});

test("a result with a trace id is compared with the tools and documents that its case expects", async () => {
  const question = {
    query: "What is the weather in Paris?",
    expectedTrajectory: { tools: ["get_weather"], mode: "strict" },
    expectedRetrievalContext: ["Lyon is warm.", "Paris is mild in autumn."],
  };
  const body = { name: "Weather", questions: [{ main_question: question }] };
  const { _id } = await client.expect({ status: 201, schema: dataset }, "POST", `${evaluations}/datasets`, body);
  const created = { status: 201, schema: createRunReply };
  const { runId } = await client.expect(created, "POST", `${evaluations}/runs`, { datasetId: _id });

  const { scoredResults } = await client.expect(
    { status: 200, schema: submitResultsReply },
    "POST",
    `${evaluations}/runs/${runId}/results`,
    { batchId: "batch", results: [buildResult({ traceId, questionIndex: 0 })] },
  );

  expect(scoredResults).toMatchObject([
    {
      rating: 9,
      codeScorerResults: [
        { name: "Trajectory match (strict)", score: 1, reasoning: "Expected: get_weather. Actual: get_weather." },
        { name: "Context match (jaccard)", score: 1 },
      ],
    },
  ]);
  const prompt = onlyPrompt();
  expect(prompt).toMatch(/\n1\. weather-agent \[gpt-4\.1-mini-2025-04-14\] \(\d+ ms\)/);
  // Its tool context is simple.
  expect(prompt).not.toContain("Get weather");
});
