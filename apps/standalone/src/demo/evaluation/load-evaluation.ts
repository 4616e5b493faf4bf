import { detailsOfCase, fill } from "../content/fill.ts";
import { type DemoClient, inParallel } from "../demo-client.ts";
import { createRandom } from "../random.ts";
import { bodyOf, type DemoDataset, demoDatasets, type FindSource } from "./demo-datasets.ts";
import { type DemoCiRun, type DemoRun, demoCiRuns, demoRuns } from "./demo-runs.ts";

const evaluations = "/custom-agent-evaluations";
const batchSize = 10;

interface Known {
  dataset: DemoDataset;
  id: string;
}

/** Loads datasets, runs, gates and CI runs. Existing ones, by name or version, are unchanged. */
export async function loadEvaluation(
  client: DemoClient,
  options: { findSource: FindSource; judges: ReadonlyMap<string, string> },
): Promise<void> {
  const known = await loadDatasets(client, options.findSource);
  const runs = await loadRuns(client, known, options.judges);
  if (runs > 0) await loadCiRuns(client, known);
}

async function loadDatasets(client: DemoClient, findSource: FindSource): Promise<Map<string, Known>> {
  const { datasets } = await client.call<{ datasets: { _id: string; name: string }[] }>(
    "GET",
    `${evaluations}/datasets`,
  );
  const known = new Map<string, Known>();
  for (const dataset of demoDatasets) {
    const stored = datasets.find(({ name }) => name === dataset.name);
    const { _id } =
      stored ?? (await client.call<{ _id: string }>("POST", `${evaluations}/datasets`, bodyOf(dataset, findSource)));
    known.set(dataset.name, { dataset, id: _id });
  }
  return known;
}

/** Returns the number of created runs. They are created sequentially: each is compared with the earlier ones. */
async function loadRuns(
  client: DemoClient,
  known: Map<string, Known>,
  judges: ReadonlyMap<string, string>,
): Promise<number> {
  const { runs } = await client.call<{
    runs: { status: string; evaluationSubject: { version?: string; displayName?: string } | null }[];
  }>("GET", `${evaluations}/runs?limit=200`);
  let made = 0;
  for (const planned of demoRuns) {
    const { dataset, id } = required(known, planned.dataset);
    const isThere = runs.some(
      ({ status, evaluationSubject: subject }) =>
        status !== "in_progress" && subject?.version === planned.version && subject?.displayName === dataset.agent,
    );
    if (isThere) continue;
    await loadRun(client, planned, { dataset, id }, judges);
    made += 1;
  }
  return made;
}

async function loadRun(
  client: DemoClient,
  planned: DemoRun,
  { dataset, id }: Known,
  judges: ReadonlyMap<string, string>,
): Promise<void> {
  const { runId, smokeTestVariants } = await client.call<CreatedRun>("POST", `${evaluations}/runs`, {
    datasetId: id,
    evaluationSubject: {
      kind: "custom_agent",
      displayName: dataset.agent,
      framework: planned.framework,
      runtime: "ci",
      version: planned.version,
      metadata: { branch: planned.branch, commit: planned.commit },
    },
    additionalScorerIds: planned.additional.flatMap((name) => judges.get(name) ?? []),
    ...(planned.strict === true && { evaluationSettingsId: judges.get("Needs a reference") }),
  });
  const run = `${evaluations}/runs/${runId}`;
  const results = [...resultsOf(dataset, planned), ...variantsOf(dataset, planned, smokeTestVariants ?? [])];
  const batches = Array.from({ length: Math.ceil(results.length / batchSize) }, (_, index) =>
    results.slice(index * batchSize, (index + 1) * batchSize),
  );
  await inParallel(batches, 3, async (batch, index) => {
    await client.call("POST", `${run}/results`, { batchId: `batch-${index + 1}`, results: batch });
  });
  await client.call("POST", `${run}/finalize`, { status: "completed" });
  if (planned.isAnalysed === true) await client.call("POST", `${run}/analyze`, {});
  const caller = `${planned.branch === "main" ? "nightly" : "pull request"} ${planned.branch}@${planned.commit}`;
  const checks = "failUnder=7&noRegression=true&method=paired&record=true";
  await client.call("GET", `${run}/gate?${checks}&caller=${encodeURIComponent(caller)}`);
}

interface CreatedRun {
  runId: string;
  smokeTestVariants: { questionIndex: number; variants: string[] }[] | null;
}

/** Answers to the paraphrases that were created with the run. */
function variantsOf(
  dataset: DemoDataset,
  planned: DemoRun,
  variants: NonNullable<CreatedRun["smokeTestVariants"]>,
): unknown[] {
  return variants.flatMap(({ questionIndex, variants: texts }) =>
    texts.map((smokeTestVariantText, index) => ({
      idempotencyKey: `case-${questionIndex}:variant-${index + 1}`,
      questionIndex,
      input: { query: smokeTestVariantText },
      ...outcomeOf(dataset, questionIndex, planned.answers[questionIndex] ?? "g"),
      isSmokeTestVariant: true,
      smokeTestVariantText,
    })),
  );
}

/** The rows of a run: the repetitions of each case. */
function resultsOf(dataset: DemoDataset, planned: DemoRun): unknown[] {
  const repetitions = Number(dataset.settings.numberOfRequests ?? 1);
  return dataset.scenarios.flatMap((_, questionIndex) =>
    Array.from({ length: repetitions }, (_, repetition) => {
      const random = createRandom(`${planned.version} ${questionIndex} ${repetition}`);
      return {
        idempotencyKey: `case-${questionIndex}:run-${repetition + 1}`,
        questionIndex,
        runNumber: repetition + 1,
        ...outcomeOf(dataset, questionIndex, planned.answers[questionIndex] ?? "g"),
        timings: {
          latencyMs: Math.round(random.skewed(3_800, 0.4)),
          inputTokens: random.int(1_800, 6_400),
          outputTokens: random.int(40, 320),
        },
      };
    }),
  );
}

function outcomeOf(dataset: DemoDataset, questionIndex: number, letter: string) {
  const scenario = dataset.scenarios[questionIndex];
  if (scenario === undefined) throw new Error(`${dataset.name} has no case ${questionIndex}`);
  if (letter === "e") return { error: { type: "TimeoutError", message: "The agent did not answer within 60 s" } };
  const answer = letter === "b" ? scenario.bad : letter === "w" ? scenario.weak : scenario.good;
  return { output: { text: fill(answer.text, detailsOfCase(questionIndex)) } };
}

async function loadCiRuns(client: DemoClient, known: Map<string, Known>): Promise<void> {
  for (const planned of demoCiRuns) await loadCiRun(client, planned, required(known, planned.dataset));
}

async function loadCiRun(client: DemoClient, planned: DemoCiRun, { dataset, id }: Known): Promise<void> {
  const { run_id } = await client.call<{ run_id: string }>("POST", "/ingest/ci-runs", {
    dataset_id: id,
    agent_name: planned.agent,
    git_context: {
      branch: planned.branch,
      commit_sha: planned.commit,
      repo_url: "https://git.example/alder/agents",
      triggered_by: planned.triggeredBy,
      ...(planned.pullRequest !== undefined && { pr_number: planned.pullRequest }),
    },
  });
  const results = dataset.scenarios.map((_, question_index) => {
    const { output, error } = outcomeOf(dataset, question_index, planned.answers[question_index] ?? "g") as {
      output?: { text: string };
      error?: { type: string; message: string };
    };
    return {
      question_index,
      latency_ms: 2_000 + question_index * 130,
      ...(error === undefined ? { output: output?.text } : { error, output: null }),
    };
  });
  for (let from = 0; from < results.length; from += batchSize) {
    await client.call("POST", `/ingest/ci-runs/${run_id}/results`, { results: results.slice(from, from + batchSize) });
  }
  await client.call("POST", `/ingest/ci-runs/${run_id}/finalize`, {});
}

function required<Value>(map: ReadonlyMap<string, Value>, key: string): Value {
  const value = map.get(key);
  if (value === undefined) throw new Error(`there is no ${key}`);
  return value;
}
