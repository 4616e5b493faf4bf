import { createHash } from "node:crypto";
import type { TestedSystem } from "./system.ts";

/**
 * Ids of existing objects, and meaningful values, by the name of the parameter or property that takes them. Objects
 * that other operations would delete or consume are also listed under `<operation> <name>`, for that operation alone.
 */
export type KnownIds = Readonly<Record<string, readonly (string | number)[]>>;

/** The parameters of an operation. */
export function idsFor(operationId: string, known: KnownIds): KnownIds {
  const own = Object.entries(known).filter(([name]) => name.startsWith(`${operationId} `));
  return { ...known, ...Object.fromEntries(own.map(([name, ids]) => [name.slice(operationId.length + 1), ids])) };
}

/** Nothing listens there. */
const silentUrl = "http://127.0.0.1:4/";

/** Meaningful query values. */
const filters: KnownIds = {
  severity: ["low", "medium"],
  status: ["open"],
  polarity: ["failure", "all"],
  window: ["1h", "24h", "30d"],
  failUnder: ["7", "0.5"],
  tolerance: ["1"],
  minEffect: ["0.5"],
  method: ["paired"],
};

const labelledPrompt = { name: "conformance", text: "a", labels: ["production"] };

/** Where our paths take ids, those of Langfuse's clients take names. */
const langfuseIds = (datasetId: unknown): KnownIds => ({
  promptName: ["conformance"],
  datasetName: ["conformance"],
  itemId: [`${datasetId}:0`],
  "getLangfusePrompt label": ["production"],
});

/** Creates one object of each kind that the operations use, so that their answers have contents. */
export async function makeKnownIds(system: TestedSystem): Promise<KnownIds> {
  const send = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const response = await fetch(`${system.url}/api/v1${path}`, {
      method,
      headers: { "x-api-key": system.apiKey, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  const get = (path: string) => send("GET", path);
  const post = (path: string, body: unknown) => send("POST", path, body);
  const sessionId = `conformance-${crypto.randomUUID()}`;
  const trace = await post("/ingest/traces", { name: "conformance", session_id: sessionId, input: "a", output: "b" });
  const dataset = await post("/custom-agent-evaluations/datasets", {
    name: "conformance",
    rougeScore: { enabled: true },
    questions: [{ main_question: { query: "a", expectedResults: "b" } }],
  });
  // A separate object for each: the operation that deletes them is the last one with a parameter of that name.
  const [settings, scorers, members, deletedSettings] = (await Promise.all(
    Array.from({ length: 4 }, () =>
      Promise.all([1, 2, 3].map(() => post("/custom-agent-evaluations/evaluation-settings", { name: "conformance" }))),
    ),
  ).then((sets) => sets.map((set) => set.map(({ _id }) => String(_id))))) as [string[], string[], string[], string[]];
  const runs = await Promise.all(
    [1, 2, 3, 4, 5].map(() =>
      post("/custom-agent-evaluations/runs", { datasetId: dataset._id, additionalScorerIds: members.slice(0, 1) }),
    ),
  );
  // Completed, so that gates have a baseline and a comparison is possible.
  const [ended] = runs;
  await post(`/custom-agent-evaluations/runs/${ended?.runId}/results`, {
    batchId: "conformance",
    results: [{ idempotencyKey: "a", error: { type: "a", message: "b" } }],
  });
  await post(`/custom-agent-evaluations/runs/${ended?.runId}/finalize`, {});
  const projects = await Promise.all(["a", "b", "c"].map((name) => post("/projects", { name })));
  const prompt = await post("/custom-agent-evaluations/prompts", labelledPrompt);
  const toolSchemas = await Promise.all(
    ["a", "b", "c"].map((name) => post("/evaluate/tool-schemas", { name: `conformance ${name}`, definition: "a" })),
  );
  const groups = await Promise.all(
    [1, 2].map(() =>
      post("/agent-monitoring/scorer-groups", { name: "conformance", members: members.map((refId) => ({ refId })) }),
    ),
  );
  const patterns = await Promise.all(
    [1, 2, 3, 4].map((number) => post("/monitor/patterns", { name: `conformance ${number}`, includeTerms: ["a"] })),
  );
  const patternIds = patterns.map(({ pattern }) => (pattern as { _id: string })._id);
  // A downvote raises a signal at once.
  await post("/feedback", { traceId: trace.trace_id, rating: "down" });
  const { signals } = await get("/monitor/signals");
  const customEvaluators = await Promise.all(
    [1, 2, 3].map(() =>
      post("/agent-monitoring/custom-evaluators", { name: "conformance", kind: "code", script: "a", sampleRate: 0 }),
    ),
  );
  const evaluators = await Promise.all(
    settings
      .slice(1)
      .map((id) => post("/monitor/online-evaluators", { name: "conformance", evaluationSettingsId: id })),
  );
  return {
    ...(await makeScores(post)),
    ...(await makeMedia(system, send)),
    onlineEvaluatorId: evaluators.map(({ evaluator }) => (evaluator as { _id: string })._id),
    traceId: [String(trace.trace_id)],
    cursor: [String(trace.trace_id)],
    agentId: [String(trace.reference_agent_id)],
    agent_id: [String(trace.reference_agent_id)],
    workspaceId: ["local"],
    sessionId: [sessionId],
    // An invalid deletion is refused; this day has no traces.
    from: ["2020-01-01T00:00:00Z"],
    to: ["2020-01-02"],
    source: ["production", "eval"],
    datasetId: [String(dataset._id)],
    ...(await makeChangedCases(post)),
    modelId: ["gpt-4o-mini", "gemini-2.5-pro", "gemini-2.5-flash"],
    evaluationSettingsId: settings,
    versionId: [...settings, String(dataset._id)].map((id) => `${id}:1`),
    judgeScorerId: scorers,
    refId: members,
    scorerGroupId: groups.map(({ scorerGroup }) => (scorerGroup as { _id: string })._id),
    "deleteEvaluationSettings evaluationSettingsId": deletedSettings,
    patternId: patternIds.slice(1),
    "deletePattern patternId": patternIds.slice(0, 1),
    signalId: (signals as { _id: string }[]).map(({ _id }) => _id),
    ...(await makeTold(post)),
    ...(await makeExperiments(post)),
    customEvaluatorId: customEvaluators.map(({ evaluator }) => (evaluator as { _id: string })._id),
    ...filters,
    ...(await makeCiRuns(post)),
    runId: runs.map(({ runId }) => String(runId)),
    baseline: [String(ended?.runId)],
    candidate: [String(ended?.runId)],
    scorer: members.slice(0, 1),
    promptId: [String(prompt._id), "conformance"],
    ...langfuseIds(dataset._id),
    version: ["1"],
    toolSchemaId: toolSchemas.map(({ toolSchema }) => (toolSchema as { _id: string })._id),
    limit: ["10"],
    projectId: projects.map(({ project }) => (project as { _id: string })._id),
  };
}

/** Of a separate dataset, which no dataset operation replaces or deletes. */
async function makeCiRuns(post: (path: string, body: unknown) => Promise<Record<string, unknown>>): Promise<KnownIds> {
  const { _id } = await post("/custom-agent-evaluations/datasets", {
    name: "conformance of CI",
    questions: [{ main_question: { query: "a" } }, { main_question: { query: "b" } }],
  });
  const runs = await Promise.all([1, 2, 3].map(() => post("/ingest/ci-runs", { dataset_id: _id })));
  return { dataset_id: [String(_id)], ciRunId: runs.map(({ run_id }) => String(run_id)), question_index: [0, 1] };
}

/** External runs of a separate dataset, one of them by its name. */
async function makeExperiments(
  post: (path: string, body: unknown) => Promise<Record<string, unknown>>,
): Promise<KnownIds> {
  const name = "conformance of experiments";
  const dataset = { name, questions: [{ main_question: { query: "a" } }] };
  const { _id } = await post("/custom-agent-evaluations/datasets", dataset);
  const { runId } = await post("/custom-agent-evaluations/runs", { datasetId: _id, runSource: "external" });
  const item = { runName: "conformance", datasetItemId: `${_id}:0`, traceId: "a" };
  // Beside /api/v1.
  await post("/../public/dataset-run-items", item);
  return {
    runName: [item.runName],
    datasetItemId: [item.datasetItemId],
    "listLangfuseRuns datasetName": [name],
    "getLangfuseRun datasetName": [name],
    "deleteLangfuseRun datasetName": [name],
    "listLangfuseRunItems datasetId": [String(_id)],
    "rescoreRun runId": [String(runId)],
  };
}

/** They name no trace: they would be deleted with it. */
async function makeScores(post: (path: string, body: unknown) => Promise<unknown>): Promise<KnownIds> {
  const ids = ["a", "b", "c"];
  await post(
    "/scores",
    ids.map((id) => ({ id, name: "conformance", value: 1, sessionId: "conformance" })),
  );
  // A gate tests a metric or a scorer, not both.
  return {
    scoreId: ids,
    "gateRun metric": [""],
    noRegression: ["true"],
    strict: ["true"],
    record: ["true"],
    caller: ["a"],
  };
}

/** Media that no trace has, with its content, and signed addresses of it. */
async function makeMedia(
  { url }: TestedSystem,
  send: (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>,
): Promise<KnownIds> {
  const sha256 = createHash("sha256").update("a").digest("base64");
  const contentType = "application/octet-stream";
  const { id, uploadUrl } = await send("POST", "/media", { contentType, contentLength: 1, sha256 });
  const upload = new URL(String(uploadUrl)).pathname;
  await fetch(`${url}${upload}`, { method: "PUT", body: "a" });
  const shown = await send("GET", `/media/${id}`);
  const addressOf = (place: unknown): string => String(place).split("/").at(-1) ?? "";
  return {
    mediaId: [String(id)],
    "uploadMedia address": [addressOf(uploadUrl)],
    "readMediaContent address": [addressOf(shown.url)],
    sha256: [sha256],
    sha256Hash: [sha256],
    contentType: ["image/png"],
  };
}

/** Cases of datasets that are read at their first version: a change of a case names the version. */
async function makeChangedCases(
  post: (path: string, body: unknown) => Promise<Record<string, unknown>>,
): Promise<KnownIds> {
  const body = {
    name: "conformance of cases",
    questions: [{ main_question: { query: "a" } }, { main_question: { query: "b" } }],
  };
  const datasets = await Promise.all([1, 2, 3, 4].map(() => post("/custom-agent-evaluations/datasets", body)));
  const [put, imported, ...deleted] = datasets.map(({ _id }) => String(_id));
  return {
    "putCase datasetId": [String(put)],
    "importCases datasetId": [String(imported)],
    "deleteCase datasetId": deleted,
    questionIndex: ["0", "1"],
  };
}

/** Notifications of failures: webhooks, their deliveries and alert rules. */
async function makeTold(post: (path: string, body: unknown) => Promise<Record<string, unknown>>): Promise<KnownIds> {
  const webhooks = await Promise.all([1, 2].map(() => post("/agent-monitoring/webhooks", { url: silentUrl })));
  const [tested] = webhooks.map(({ webhook }) => (webhook as { _id: string })._id);
  const { delivery } = await post(`/agent-monitoring/webhooks/${tested}/test`, {});
  const rule = { name: "a", metric: "traceCount", comparison: "below", threshold: 0, windowMinutes: 60 };
  const alertRules = await Promise.all([1, 2].map(() => post("/agent-monitoring/alert-rules", rule)));
  return {
    baseUrl: [silentUrl],
    url: [silentUrl],
    webhookId: webhooks.map(({ webhook }) => (webhook as { _id: string })._id),
    deliveryId: [(delivery as { _id: string })._id],
    alertRuleId: alertRules.map(({ alertRule }) => (alertRule as { _id: string })._id),
  };
}
