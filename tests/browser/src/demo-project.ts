import { inject } from "vitest";
import { createClient } from "../../integration/src/client.ts";

type Row = Record<string, unknown> & { _id: string };

/** One of each thing that the sample project has, for the pages that show one. */
export interface DemoProject {
  /** What a page's address begins with. */
  base: string;
  traceId: string;
  sessionId: string;
  datasetId: string;
  /** Two finished runs of the same dataset, the older first. */
  runIds: readonly [string, string];
  ciRunId: string;
  judgeId: string;
  agentId: string;
}

let read: Promise<DemoProject> | null = null;

/** Reads the sample project through the API, once per worker. */
export function readDemoProject(): Promise<DemoProject> {
  read ??= readProject();
  return read;
}

async function readProject(): Promise<DemoProject> {
  const demo = inject("demo");
  const client = createClient(demo);
  const rows = async (route: string, member: string): Promise<Row[]> => {
    const { status, body } = await client.send("GET", route);
    if (status !== 200) throw new Error(`GET ${route} answered ${status}`);
    return (body as Record<string, Row[]>)[member] ?? [];
  };
  const [projects, traces, sessions, runs, ciRuns, judges, agents] = await Promise.all([
    rows("/projects", "projects"),
    rows("/ingest/traces?error=true&limit=1", "traces"),
    rows("/agent-monitoring/sessions?limit=1", "sessions"),
    rows("/custom-agent-evaluations/runs?limit=100", "runs"),
    rows("/ingest/ci-runs", "ci_runs"),
    rows("/agent-monitoring/judge-scorers", "judgeScorers"),
    rows("/agents", "agents"),
  ]);
  const helpful = judges.find(({ name }) => name === "Helpful");
  const pair = findPair(runs);
  return {
    base: `${demo.url}/p/${firstOf(projects)._id}`,
    traceId: firstOf(traces)._id,
    sessionId: String(firstOf(sessions).sessionId),
    datasetId: String(pair[0].datasetId),
    runIds: [pair[0]._id, pair[1]._id],
    ciRunId: String(firstOf(ciRuns).run_id),
    judgeId: (helpful ?? firstOf(judges))._id,
    agentId: firstOf(agents)._id,
  };
}

function findPair(runs: readonly Row[]): [Row, Row] {
  const finished = runs.filter(({ status }) => status === "completed");
  for (const newer of finished) {
    const older = finished.findLast(({ _id, datasetId }) => _id !== newer._id && datasetId === newer.datasetId);
    if (older !== undefined) return [older, newer];
  }
  throw new Error("The sample project has no two finished runs of one dataset.");
}

function firstOf(rows: readonly Row[]): Row {
  const [first] = rows;
  if (first === undefined) throw new Error("The sample project lacks something that a page shows.");
  return first;
}
