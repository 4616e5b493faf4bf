import {
  calibration,
  comparedRuns,
  projectReply,
  recordedGates,
  runList,
  sessionList,
  signalList,
  submitTraceReply,
  topFailing,
  traceEvaluations,
  traceList,
  webhookDeliveryList,
} from "@touchstone/contracts";
import { buildTrace } from "@touchstone/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chooseProject } from "../../../apps/standalone/src/demo/choose-project.ts";
import { type PreparedDemo, prepareDemo } from "../../../apps/standalone/src/demo/prepare-demo.ts";
import { createClient } from "../src/client.ts";
import { type CombinedSystem, startCombined } from "../src/start-combined.ts";
import { waitUntil } from "../src/wait-until.ts";

let demo: PreparedDemo;
let system: CombinedSystem;
const client = () => createClient(system);

beforeAll(async () => {
  demo = await prepareDemo({}, { traces: 500, largeSpans: [300, 200] });
  system = await startCombined({ settings: demo.environment as Record<string, string> });
  await demo.load({ address: system.url, apiKey: system.apiKey, onProgress: () => {} });
}, 300_000);

afterAll(() => system?.stop());

test("the sample project shows which agent fails most", async () => {
  const { agents } = await client().expect(
    { status: 200, schema: topFailing },
    "GET",
    "/agent-monitoring/top-failing?window=30d",
  );
  const rates = agents
    .filter(({ totalRuns }) => totalRuns >= 10)
    .sort((one, other) => (other.failureRate ?? 0) - (one.failureRate ?? 0));

  expect(rates[0]?.name).toBe("refund-agent");
});

test("the sample project has a trace rated 2.0 whose reason names the agent's promise", async () => {
  const { traces } = await client().expect({ status: 200, schema: traceList }, "GET", "/ingest/traces?search=A104711");
  const [trace] = traces;
  await waitUntil("it is rated", async () => {
    const { evaluations } = await client().expect(
      { status: 200, schema: traceEvaluations },
      "GET",
      `/agent-monitoring/traces/${trace?._id}/evaluations`,
    );
    const policy = evaluations.find(({ evaluatorName }) => evaluatorName === "Policy");
    return policy?.rating === 2 && policy.justification?.includes("promises a refund it could not make") === true;
  });
});

test("its runs hold a regression, an improvement and an inconclusive comparison", async () => {
  const { runs } = await client().expect(
    { status: 200, schema: runList },
    "GET",
    "/custom-agent-evaluations/runs?limit=100",
  );
  const versions = new Map(runs.map((run) => [run.evaluationSubject?.version, run.runId]));
  const compare = async (baseline: string, candidate: string): Promise<string> => {
    const query = `baseline=${versions.get(baseline)}&candidate=${versions.get(candidate)}`;
    const { paired } = await client().expect(
      { status: 200, schema: comparedRuns },
      "GET",
      `/evaluate/runs/compare?${query}`,
    );
    return paired.outcome;
  };

  expect(await compare("1.3.8", "1.3.9")).toBe("improved");
  expect(await compare("1.3.9", "1.4.0")).toBe("regressed");
  expect(await compare("2.0.0", "2.1.0")).toBe("undecided");
});

test("the newest gate on main failed", async () => {
  const { gates } = await client().expect({ status: 200, schema: recordedGates }, "GET", "/evaluate/ci/gates");

  expect(gates.find(({ caller }) => caller?.includes("main@"))).toMatchObject({
    datasetName: "Refund policy",
    passed: false,
  });
});

test("there are enough human labels to compute that the judge Helpful agrees with them moderately", async () => {
  await waitUntil("60 pairs", async () => {
    const { scorers } = await client().expect(
      { status: 200, schema: calibration },
      "GET",
      "/agent-monitoring/calibration",
    );
    const helpful = scorers.find(({ scorerName }) => scorerName === "Helpful");
    const kappa = helpful?.kappa ?? 0;
    return (helpful?.pairs ?? 0) >= 60 && kappa > 0.35 && kappa < 0.7;
  });
});

test("its signals are in several states, its conversations are rated, and its webhooks have delivered and failed", async () => {
  const { signals } = await client().expect(
    { status: 200, schema: signalList },
    "GET",
    "/monitor/signals?limit=100&polarity=all",
  );
  const { deliveries } = await client().expect(
    { status: 200, schema: webhookDeliveryList },
    "GET",
    "/agent-monitoring/webhook-deliveries",
  );

  expect([...new Set(signals.map(({ status }) => status))]).toEqual(expect.arrayContaining(["open", "in_review"]));
  expect([...new Set(signals.map(({ severity }) => severity))].length).toBeGreaterThanOrEqual(3);
  expect(deliveries.map(({ status }) => status)).toEqual(expect.arrayContaining(["delivered", "failed"]));
  await waitUntil("a conversation is rated", async () => {
    const { sessions } = await client().expect(
      { status: 200, schema: sessionList },
      "GET",
      "/agent-monitoring/sessions?window=30d",
    );
    return sessions.some(({ judgeRating, turnCount }) => judgeRating !== null && turnCount > 1);
  });
});

test("a default project that holds other traces is left unchanged: the sample gets a separate project", async () => {
  const { project } = await client().expect({ status: 201, schema: projectReply }, "POST", "/projects", {
    name: "Ours",
  });
  const ours = { address: system.url, apiKey: project.apiKey };
  expect(await chooseProject(ours)).toEqual({ apiKey: project.apiKey, projectId: null });
  await createClient({ url: system.url, apiKey: project.apiKey }).expect(
    { status: 201, schema: submitTraceReply },
    "POST",
    "/ingest/traces",
    buildTrace(),
  );

  const chosen = await chooseProject(ours);

  expect(chosen.projectId).toEqual(expect.any(String));
  expect(chosen.apiKey).not.toBe(project.apiKey);
  expect(await chooseProject(ours)).toEqual(chosen);
});

test("loading the sample project a second time adds nothing", async () => {
  const count = async () => {
    const [traces, runs, feedback] = await Promise.all([
      client().expect({ status: 200, schema: traceList }, "GET", "/ingest/traces?limit=1"),
      client().expect({ status: 200, schema: runList }, "GET", "/custom-agent-evaluations/runs?limit=200"),
      client().expect({ status: 200, schema: calibration }, "GET", "/agent-monitoring/calibration"),
    ]);
    return [traces.totalCount, runs.runs.length, feedback.scorers.length];
  };
  const before = await count();

  await demo.load({ address: system.url, apiKey: system.apiKey, onProgress: () => {} });

  expect(await count()).toEqual(before);
});
