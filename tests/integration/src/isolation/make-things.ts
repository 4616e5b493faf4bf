import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { waitUntil } from "../wait-until.ts";
import {
  alertRuleBody,
  customEvaluatorBody,
  datasetBody,
  logsBody,
  mediaBody,
  modelBody,
  otlpBody,
  patternBody,
  promptBody,
  resultBody,
  settingsBody,
  shared,
  toolSchemaBody,
  traceBody,
  webhookBody,
} from "./bodies.ts";
import { findCanaries, type Tenant } from "./tenant.ts";

const evaluations = "/custom-agent-evaluations";
const attemptsMax = 10;

/**
 * Sends a request, requires a 2xx, and returns the body. A 503 stored nothing: like a client, it tries again, because many requests at
 * once may exceed what a busy machine can do in time.
 */
export async function send(tenant: Tenant, method: string, route: string, body?: unknown): Promise<unknown> {
  for (let attempts = 1; ; attempts += 1) {
    const answer = await tenant.client.send(method, route, body);
    if (answer.status < 300) return answer.body;
    if (answer.status !== 503 || attempts === attemptsMax)
      throw new Error(`${method} ${route} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    await sleep(1_000);
  }
}

/** The string at a path of an answer. */
function pick(body: unknown, ...path: string[]): string {
  const found = path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], body);
  if (typeof found !== "string") throw new Error(`No ${path.join(".")} in ${JSON.stringify(body)}`);
  return found;
}

/** Creates one object of a kind for a tenant, with its canary in every text, and returns its id. */
export const make = {
  trace: async (tenant: Tenant) => pick(await send(tenant, "POST", "/ingest/traces", traceBody(tenant)), "trace_id"),
  /** The id of a trace that is alone in its session. */
  session: async (tenant: Tenant) => {
    const sessionId = `session-${randomUUID()}`;
    await send(tenant, "POST", "/ingest/traces", traceBody(tenant, { session_id: sessionId }));
    return sessionId;
  },
  /** The span id of a trace. */
  span: async (tenant: Tenant) => {
    const spanId = randomUUID();
    await send(tenant, "POST", "/ingest/traces", traceBody(tenant, { spanId }));
    return spanId;
  },
  /** A project with another key than the tenant's. */
  project: async (tenant: Tenant) => pick(await send(tenant, "POST", "/projects", { name: "Made" }), "project", "_id"),
  agent: async (tenant: Tenant) =>
    pick(await send(tenant, "POST", "/agents", { name: `${tenant.canary} agent ${randomUUID()}` }), "agent", "_id"),
  score: async (tenant: Tenant) => {
    const body = { name: "quality", value: tenant.canary, traceId: await make.trace(tenant) };
    const { scores } = (await send(tenant, "POST", "/scores", body)) as { scores: { id: string }[] };
    return String(scores[0]?.id);
  },
  /** With its content. */
  media: async (tenant: Tenant, content = Buffer.from(`${tenant.canary} ${randomUUID()}`)) => {
    const body = { ...mediaBody(content), traceId: await make.trace(tenant), field: tenant.canary };
    const announced = (await send(tenant, "POST", "/media", body)) as { id: string; uploadUrl: string | null };
    if (announced.uploadUrl !== null) await fetch(announced.uploadUrl, { method: "PUT", body: content });
    return announced.id;
  },
  /** A session and an agent that have one trace, the same for both. */
  sessionOfAgent: async (tenant: Tenant) => {
    const sessionId = `session-${randomUUID()}`;
    const body = traceBody(tenant, { session_id: sessionId, name: `${tenant.canary} agent ${randomUUID()}` });
    return { sessionId, agentId: pick(await send(tenant, "POST", "/ingest/traces", body), "reference_agent_id") };
  },
  model: async (tenant: Tenant) => {
    const id = `model-${randomUUID()}`;
    await send(tenant, "POST", "/agent-monitoring/portability/models", modelBody(tenant, id));
    return id;
  },
  dataset: async (tenant: Tenant, more: object = {}) =>
    pick(await send(tenant, "POST", `${evaluations}/datasets`, datasetBody(tenant, more)), "_id"),
  /** With two versions; the first can be deleted. */
  versionedDataset: async (tenant: Tenant) => {
    const datasetId = await make.dataset(tenant);
    await send(tenant, "PUT", `${evaluations}/datasets/${datasetId}`, datasetBody(tenant, { description: "second" }));
    const versions = (await send(tenant, "GET", `/evaluate/datasets/${datasetId}/versions`)) as { _id: string }[];
    return { datasetId, versionId: String(versions.at(-1)?._id) };
  },
  settings: async (tenant: Tenant) =>
    pick(await send(tenant, "POST", `${evaluations}/evaluation-settings`, settingsBody(tenant)), "_id"),
  versionedSettings: async (tenant: Tenant) => {
    const evaluationSettingsId = await make.settings(tenant);
    await send(tenant, "PUT", `${evaluations}/evaluation-settings/${evaluationSettingsId}`, { description: "second" });
    const path = `/evaluate/evaluationSettings/${evaluationSettingsId}/versions`;
    const versions = (await send(tenant, "GET", path)) as { _id: string }[];
    return { evaluationSettingsId, versionId: String(versions.at(-1)?._id) };
  },
  judgeScorer: async (tenant: Tenant) =>
    pick(
      await send(tenant, "POST", "/agent-monitoring/judge-scorers", {
        name: `${tenant.canary} scorer`,
        judge: { acceptanceCriteria: `${tenant.canary} accepted` },
      }),
      "judgeScorer",
      "_id",
    ),
  onlineEvaluator: async (tenant: Tenant) => {
    const evaluationSettingsId = await make.settings(tenant);
    const body = { name: `${tenant.canary} evaluator`, evaluationSettingsId, enabled: false };
    return pick(await send(tenant, "POST", "/monitor/online-evaluators", body), "evaluator", "_id");
  },
  /** An evaluator that monitor knows. */
  heardEvaluator: async (tenant: Tenant) => {
    const id = await make.onlineEvaluator(tenant);
    await waitUntil("monitor knows the evaluator", async () => {
      return (await tenant.client.send("GET", `/monitor/online-evaluators/${id}/ratings`)).status === 200;
    });
    return id;
  },
  scorerGroup: async (tenant: Tenant, refId?: string) => {
    const members = [{ refId: refId ?? (await make.judgeScorer(tenant)) }];
    const body = { name: `${tenant.canary} group`, description: tenant.canary, members };
    return pick(await send(tenant, "POST", "/agent-monitoring/scorer-groups", body), "scorerGroup", "_id");
  },
  /** In progress, without a result. */
  openRun: async (tenant: Tenant, graders: { datasetId?: string; [grader: string]: unknown } = {}) =>
    pick(
      await send(tenant, "POST", `${evaluations}/runs`, {
        datasetId: graders.datasetId ?? (await make.dataset(tenant)),
        evaluationSubject: { version: `${tenant.canary} version`, label: tenant.canary },
        ...graders,
      }),
      "runId",
    ),
  /** Completed, with one result. */
  run: async (tenant: Tenant, graders: { datasetId?: string; [grader: string]: unknown } = {}) => {
    const runId = await make.openRun(tenant, graders);
    const results = [resultBody(tenant, { idempotencyKey: shared.idempotencyKey })];
    await send(tenant, "POST", `${evaluations}/runs/${runId}/results`, { batchId: shared.batchId, results });
    await send(tenant, "POST", `${evaluations}/runs/${runId}/finalize`);
    return runId;
  },
  /** The id of the record of a run's only result. */
  verdict: async (tenant: Tenant) => {
    const answer = await send(tenant, "GET", `${evaluations}/runs/${await make.run(tenant)}/results`);
    return pick((answer as { results: unknown[] }).results[0], "verdictId");
  },
  analyzedRun: async (tenant: Tenant) => {
    const runId = await make.run(tenant);
    await send(tenant, "POST", `${evaluations}/runs/${runId}/analyze`);
    return runId;
  },
  /** Of a new run. */
  recordedGate: async (tenant: Tenant, datasetId: string) => {
    const runId = await make.run(tenant, { datasetId });
    await send(tenant, "GET", `${evaluations}/runs/${runId}/gate?failUnder=1&record=true&caller=${tenant.canary}`);
  },
  ciRun: async (tenant: Tenant, datasetId?: string) =>
    pick(
      await send(tenant, "POST", "/ingest/ci-runs", {
        dataset_id: datasetId ?? (await make.dataset(tenant)),
        agent_name: `${tenant.canary} pipeline`,
        git_context: { branch: tenant.canary },
      }),
      "run_id",
    ),
  prompt: async (tenant: Tenant) =>
    pick(await send(tenant, "POST", `${evaluations}/prompts`, promptBody(tenant)), "_id"),
  promptName: async (tenant: Tenant) => {
    const name = `prompt-${randomUUID()}`;
    await send(tenant, "POST", `${evaluations}/prompts`, promptBody(tenant, name));
    return name;
  },
  /** The name of a dataset. */
  namedDataset: async (tenant: Tenant) => {
    const name = `${tenant.canary} ${randomUUID()}`;
    await send(tenant, "POST", `${evaluations}/datasets`, datasetBody(tenant, { name }));
    return name;
  },
  /** The id that a client of Langfuse gave to a case. */
  datasetItem: async (tenant: Tenant) => {
    const body = { id: `item-${randomUUID()}`, datasetName: await make.namedDataset(tenant), input: tenant.canary };
    // Beside /api/v1.
    return pick(await send(tenant, "POST", "/../public/dataset-items", body), "id");
  },
  /** A dataset with a run of a client of Langfuse. */
  datasetOfExperiment: async (tenant: Tenant) => {
    const datasetName = await make.namedDataset(tenant);
    const id = `${tenant.canary} ${randomUUID()}`;
    // Beside /api/v1.
    const item = { id, datasetName, input: tenant.canary };
    const datasetId = pick(await send(tenant, "POST", "/../public/dataset-items", item), "datasetId");
    const link = {
      runName: shared.runName,
      datasetItemId: id,
      traceId: id,
      metadata: { id: tenant.canary },
    };
    await send(tenant, "POST", "/../public/dataset-run-items", link);
    return { datasetId, datasetName };
  },
  webhook: async (tenant: Tenant) =>
    pick(await send(tenant, "POST", "/agent-monitoring/webhooks", webhookBody(tenant)), "webhook", "_id"),
  /** A webhook test that was given up. */
  webhookDelivery: async (tenant: Tenant, webhookId: string) =>
    pick(await send(tenant, "POST", `/agent-monitoring/webhooks/${webhookId}/test`), "delivery", "_id"),
  alertRule: async (tenant: Tenant) =>
    pick(await send(tenant, "POST", "/agent-monitoring/alert-rules", alertRuleBody(tenant)), "alertRule", "_id"),
  customEvaluator: async (tenant: Tenant) =>
    pick(
      await send(tenant, "POST", "/agent-monitoring/custom-evaluators", customEvaluatorBody(tenant)),
      "evaluator",
      "_id",
    ),
  pattern: async (tenant: Tenant) =>
    pick(await send(tenant, "POST", "/monitor/patterns", patternBody(tenant)), "pattern", "_id"),
  /** Of a trace that was checked against a pattern at once. */
  signal: async (tenant: Tenant) => {
    const created = await send(tenant, "POST", "/monitor/patterns", patternBody(tenant));
    const [patternId, key] = [pick(created, "pattern", "_id"), pick(created, "pattern", "key")];
    await send(tenant, "POST", "/ingest/traces", traceBody(tenant, { monitor: true, pattern_ids: [patternId] }));
    let signalId: string | undefined;
    await waitUntil("the signal is raised", async () => {
      const listed = (await send(tenant, "GET", "/monitor/signals?limit=100")) as {
        signals: { _id: string; patternKey: string }[];
      };
      signalId = listed.signals.find(({ patternKey }) => patternKey === key)?._id;
      return signalId !== undefined;
    });
    return String(signalId);
  },
  /** An agent whose profile is the tenant's. */
  watchedAgent: async (tenant: Tenant) => {
    const agentId = await make.agent(tenant);
    await send(tenant, "PUT", `/monitor/profiles/${agentId}`, { thresholdOverrides: { note: tenant.canary } });
    return agentId;
  },
  /** A trace with a downvote. */
  votedTrace: async (tenant: Tenant) => {
    const traceId = await make.trace(tenant);
    await send(tenant, "POST", "/feedback", { traceId, rating: "down", comment: `${tenant.canary} comment` });
    return traceId;
  },
  toolSchema: async (tenant: Tenant) =>
    pick(await send(tenant, "POST", "/evaluate/tool-schemas", toolSchemaBody(tenant)), "toolSchema", "_id"),
};

/** Fills a project with at least one object of each kind, under names and ids that other tenants use too. */
export async function fill(tenant: Tenant, traces: number): Promise<void> {
  const ingest = (body: object) => send(tenant, "POST", "/ingest/traces", body);
  await Promise.all([
    ...Array.from({ length: traces }, (_, number) =>
      ingest(traceBody(tenant, { spanId: `${shared.spanId}-${number}` })),
    ),
    ingest(traceBody(tenant, { spanId: shared.spanId, session_id: shared.sessionId, error: `${tenant.canary} error` })),
    ingest(
      traceBody(tenant, {
        spanId: `${shared.spanId}-child`,
        parent_span_id: shared.spanId,
        session_id: shared.sessionId,
      }),
    ),
    ingest({ ...traceBody(tenant), name: shared.agent }),
    send(tenant, "POST", "/otel/v1/traces", otlpBody(tenant)),
    send(tenant, "POST", "/otel/v1/logs", logsBody(tenant)),
    make.watchedAgent(tenant),
    make.votedTrace(tenant),
    make.score(tenant),
    make.media(tenant),
    // About what each tenant has under the same ids.
    send(tenant, "POST", "/scores", [
      { name: "shared", value: tenant.canary, traceId: shared.otelTraceId },
      { name: "shared", value: tenant.canary, spanId: shared.spanId },
      { name: "shared", value: tenant.canary, sessionId: shared.sessionId },
    ]),
    make.signal(tenant).then((signalId) =>
      send(tenant, "POST", `/agent-monitoring/signals/${signalId}/feedback`, {
        metric: "tone",
        rationale: tenant.canary,
      }),
    ),
    send(tenant, "POST", "/agent-monitoring/portability/models", modelBody(tenant, shared.model)),
    send(tenant, "PUT", "/agent-monitoring/settings/retention", { retentionDays: tenant.retentionDays }),
    make.versionedDataset(tenant),
    make.versionedSettings(tenant),
    make.scorerGroup(tenant).then((scorerGroupId) => make.run(tenant, { scorerGroupId })),
    make.onlineEvaluator(tenant),
    make.settings(tenant).then((id) => make.run(tenant, { evaluationSettingsId: id, additionalScorerIds: [id] })),
    make
      .analyzedRun(tenant)
      .then((runId) =>
        send(tenant, "GET", `${evaluations}/runs/${runId}/gate?failUnder=1&record=true&caller=${tenant.canary}`),
      ),
    make.ciRun(tenant).then(async (ciRunId) => {
      const result = { question_index: 0, output: `${tenant.canary} output`, input: `${tenant.canary} input` };
      await send(tenant, "POST", `/ingest/ci-runs/${ciRunId}/results`, result);
      await send(tenant, "POST", `/ingest/ci-runs/${ciRunId}/finalize`);
    }),
    make.prompt(tenant),
    make.toolSchema(tenant),
    make.webhook(tenant).then((webhookId) => make.webhookDelivery(tenant, webhookId)),
    make.alertRule(tenant),
    make.customEvaluator(tenant),
    send(tenant, "POST", `${evaluations}/prompts`, promptBody(tenant, shared.prompt)),
    send(tenant, "POST", "/evaluate/tool-schemas", toolSchemaBody(tenant, shared.tool)),
  ]);
  await waitUntil("the log records are part of their trace", async () => {
    const { client, canary } = tenant;
    const { body } = await client.send("GET", `/ingest/sessions/${shared.otelTraceId}/spans`);
    return JSON.stringify(body).includes(`${canary} otel input`);
  });
}

/** Repeats what {@link fill} sent under a shared name or id, and returns the outcomes. */
export async function repeatShared(tenant: Tenant): Promise<object> {
  const answer = (method: string, route: string, body?: unknown) => tenant.client.send(method, route, body);
  const repeated = await answer("POST", "/ingest/traces", traceBody(tenant, { spanId: shared.spanId }));
  const otel = await answer("GET", `/ingest/sessions/${shared.otelTraceId}/spans`);
  const { spans } = otel.body as { spans: unknown[] };
  const runId = await make.openRun(tenant);
  const batch = { batchId: shared.batchId, results: [resultBody(tenant, { idempotencyKey: shared.idempotencyKey })] };
  const results = `${evaluations}/runs/${runId}/results`;
  const first = (await send(tenant, "POST", results, batch)) as { scoredResults: { deduped?: true }[] };
  const again = (await send(tenant, "POST", results, batch)) as { scoredResults: { deduped?: true }[] };
  const changed = { ...promptBody(tenant, shared.prompt), text: `${tenant.canary} changed` };
  const prompt = (await send(tenant, "POST", `${evaluations}/prompts`, changed)) as { version: number };
  const schema = await answer("POST", "/evaluate/tool-schemas", toolSchemaBody(tenant, shared.tool));
  const model = await answer("POST", "/agent-monitoring/portability/models", modelBody(tenant, shared.model));
  return {
    trace: { deduped: (repeated.body as { deduped: boolean }).deduped },
    otelSpans: spans.flatMap((span) => findCanaries(JSON.stringify(span))),
    results: [first, again].map(({ scoredResults }) => scoredResults[0]?.deduped ?? false),
    promptVersion: prompt.version,
    toolSchema: schema.status,
    model: model.status,
  };
}
