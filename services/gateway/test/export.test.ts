import { Readable } from "node:stream";
import { exportCountQuery, exportEntities, exportEntityNames, type RouteId } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import { afterEach, expect, test } from "vitest";
import {
  apiKey,
  bodyOf,
  mebibyte,
  projectId,
  startTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from "./test-gateway.ts";

const gateways: TestGateway[] = [];

afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
});

/** Counts seven rows of everything, of the right project. */
const countOf =
  (owner: string): Handler =>
  async (call) => {
    expect(exportCountQuery.parse(await call.json()).projectId).toBe(projectId);
    const names = exportEntityNames.filter((entity) => exportEntities[entity] === owner);
    return { status: 200, body: { entities: names.map((entity) => ({ entity, rows: 7 })) } };
  };

const counts = {
  countIngestExport: countOf("ingest"),
  countEvalRunsExport: countOf("eval-runs"),
  countMonitorExport: countOf("monitor"),
  countAuthExport: countOf("auth"),
};

async function start(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const gateway = await startTestGateway(options);
  gateways.push(gateway);
  return gateway;
}

const get = (gateway: TestGateway, path: string, headers: Record<string, string> = { "x-api-key": apiKey }) =>
  fetch(`${gateway.url}/api/v1/export${path}`, { headers });

test("each entity is exported from the service that owns it, and needs a key", {
  tags: ["spec:export.entity"],
}, async () => {
  const answerOf =
    (owner: string): Handler =>
    async (call) => ({ status: 200, body: { owner, since: call.query.since } });
  const routeOf: Record<string, RouteId> = {
    traces: "exportTraces",
    agents: "exportAgents",
    scores: "exportScores",
    media: "exportMedia",
    datasets: "exportDatasets",
    "dataset-versions": "exportDatasetVersions",
    runs: "exportRuns",
    "run-results": "exportRunResults",
    "gate-results": "exportGateResults",
    "evaluation-settings": "exportEvaluationSettings",
    "evaluation-settings-versions": "exportEvaluationSettingsVersions",
    "evaluation-analyses": "exportEvaluationAnalyses",
    "scorer-groups": "exportScorerGroups",
    "online-evaluators": "exportOnlineEvaluators",
    prompts: "exportPrompts",
    "prompt-versions": "exportPromptVersions",
    "tool-schemas": "exportToolSchemas",
    "tool-schema-versions": "exportToolSchemaVersions",
    signals: "exportSignals",
    "signal-feedback": "exportSignalFeedback",
    events: "exportEvents",
    feedback: "exportFeedback",
    outcomes: "exportOutcomes",
    "session-scores": "exportSessionScores",
    patterns: "exportPatterns",
    "custom-evaluators": "exportCustomEvaluators",
    "monitor-profiles": "exportMonitorProfiles",
    "project-settings": "exportProjectSettings",
    "audit-events": "exportAuditEvents",
  };
  const behind = exportEntityNames.map((entity) => [routeOf[entity], answerOf(exportEntities[entity])]);
  const gateway = await start({ behind: Object.fromEntries(behind) });

  for (const entity of exportEntityNames) {
    const answer = await get(gateway, `/${entity}?since=2026-01-01`);
    expect(await bodyOf(answer)).toEqual({ owner: exportEntities[entity], since: "2026-01-01" });
    expect((await get(gateway, `/${entity}`, {})).status).toBe(401);
  }
});

test("an unknown entity is 404 and the answer lists the known ones", { tags: ["spec:export.entity"] }, async () => {
  const gateway = await start();
  const answer = await get(gateway, "/x%22y?since=soon");
  expect([answer.status, await bodyOf(answer)]).toEqual([
    404,
    { error: 'Unknown export entity "x"y"', entities: exportEntityNames },
  ]);
  expect((await get(gateway, "/x", {})).status).toBe(401);
});

test("the index counts every entity, as of now", async () => {
  const gateway = await start({ behind: counts });
  const answer = await get(gateway, "?since=2026-01-01");
  expect([answer.status, await bodyOf(answer)]).toEqual([
    200,
    {
      generatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      format: "ndjson",
      entities: exportEntityNames.map((entity) => ({ entity, rows: 7, path: `/api/v1/export/${entity}` })),
    },
  ]);
  const refused = await get(gateway, "?since=soon");
  expect([refused.status, await bodyOf(refused)]).toEqual([400, { error: "since must be an ISO-8601 date" }]);
  expect((await get(gateway, "", {})).status).toBe(401);
});

test("the index is 503 when one service does not answer, never a zero", async () => {
  const gateway = await start({ behind: counts });
  await gateway.stopBehind("eval-runs");
  expect((await get(gateway, "")).status).toBe(503);
});

test("an export that breaks off behind the gateway breaks off before it", {
  tags: ["spec:export.entity"],
}, async () => {
  const gateway = await start({
    behind: {
      async exportTraces() {
        const body = Readable.from(
          (async function* () {
            yield Buffer.from('{"id":1}\n');
            throw new Error("the database is gone");
          })(),
        );
        return { status: 200, contentType: "application/x-ndjson", body };
      },
    },
  });
  await expect(get(gateway, "/traces").then((answer) => answer.text())).rejects.toThrow();
});

test("an import of many megabytes is passed on as it comes, and its answer comes back whatever its status", async () => {
  const gateway = await start({
    behind: {
      async importTraces(call) {
        let bytes = 0;
        for await (const chunk of call.stream(64 * mebibyte)) bytes += (chunk as Buffer).length;
        return {
          status: 429,
          headers: { "retry-after": "1" },
          body: { error: "full", bytes, held: call.rawBody.length },
        };
      },
    },
  });
  const send = (body: string | Buffer<ArrayBuffer>, contentType: string) =>
    fetch(`${gateway.url}/api/v1/import/traces`, {
      method: "POST",
      headers: { "x-api-key": apiKey, "content-type": contentType },
      body,
    });

  const answer = await send(Buffer.alloc(20 * mebibyte, "x"), "application/x-ndjson");
  expect([answer.status, answer.headers.get("retry-after"), await bodyOf(answer)]).toEqual([
    429,
    "1",
    { error: "full", bytes: 20 * mebibyte, held: 0 },
  ]);
  expect((await send("{}", "application/jsonl; charset=utf-8")).status).toBe(429);
  expect((await send("{}", "application/json")).status).toBe(415);
  expect((await send("{}", "application/x-ndjson; charset=latin1")).status).toBe(415);
});
