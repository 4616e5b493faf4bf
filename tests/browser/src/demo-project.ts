import { createClient } from "../../integration/src/client.ts";

type Row = Record<string, unknown> & { _id: string };

/** One object of each kind in the sample project, for the pages that show one. */
export interface DemoProject {
  /** The prefix of each page's address. */
  base: string;
  /** The newest trace with a bad rating and several spans. Those that tests add have one, and the sample's judges rate them too. */
  traceId: string;
  sessionId: string;
  datasetId: string;
  /** A run and a worse run of the same dataset. */
  runIds: readonly [string, string];
  ciRunId: string;
  judgeId: string;
  agentId: string;
  /** A chat prompt with several versions; those of tests are texts. */
  promptId: string;
}

/** Reads the sample project through the API. */
export async function readDemoProject(demo: { url: string; apiKey: string }): Promise<DemoProject> {
  const client = createClient(demo);
  const rows = async (route: string, member: string): Promise<Row[]> => {
    const { status, body } = await client.send("GET", route);
    if (status !== 200) throw new Error(`GET ${route} answered ${status}`);
    return (body as Record<string, Row[]>)[member] ?? [];
  };
  const [projects, traces, sessions, runs, ciRuns, judges, agents, prompts] = await Promise.all([
    rows("/projects", "projects"),
    rows("/ingest/traces?ratingMax=2.2&limit=50&view=preview", "traces"),
    rows("/agent-monitoring/sessions?limit=1", "sessions"),
    rows("/custom-agent-evaluations/runs?limit=100&subject=refund-agent", "runs"),
    rows("/ingest/ci-runs", "ci_runs"),
    rows("/agent-monitoring/judge-scorers", "judgeScorers"),
    rows("/agents", "agents"),
    rows("/custom-agent-evaluations/prompts", "prompts"),
  ]);
  const helpful = judges.find(({ name }) => name === "Helpful");
  const pair = findPair(runs);
  return {
    base: `${demo.url}/p/${firstOf(projects)._id}`,
    traceId: firstOf(traces.filter(({ spanCount }) => Number(spanCount) > 1))._id,
    sessionId: String(firstOf(sessions).sessionId),
    datasetId: String(pair[0].datasetId),
    runIds: [pair[0]._id, pair[1]._id],
    ciRunId: String(firstOf(ciRuns).run_id),
    judgeId: (helpful ?? firstOf(judges))._id,
    agentId: firstOf(agents)._id,
    promptId: firstOf(prompts.filter(({ type }) => type === "chat"))._id,
  };
}

/** The pair of runs with the largest difference, among those with the most results. */
function findPair(runs: readonly Row[]): [Row, Row] {
  const rated = runs.filter(({ averageRating }) => averageRating !== null);
  const resultsMax = Math.max(...rated.map(({ resultCount }) => Number(resultCount)));
  const large = rated.filter(({ resultCount }) => resultCount === resultsMax);
  const byRating = large.toSorted((one, other) => Number(other.averageRating) - Number(one.averageRating));
  const [best, worst] = [byRating[0], byRating.at(-1)];
  if (best === undefined || worst === undefined || best.datasetId !== worst.datasetId || best === worst) {
    throw new Error("The sample project has no two runs of one dataset that can be compared.");
  }
  return [best, worst];
}

function firstOf(rows: readonly Row[]): Row {
  const [first] = rows;
  if (first === undefined) throw new Error("The sample project lacks something that a page shows.");
  return first;
}
