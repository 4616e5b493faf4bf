import type { comparedRuns, datasetSummaries, Gate, resultList, runList } from "@touchstone/contracts";
import { z } from "zod";
import { cut, fitRows } from "./answer.ts";
import { type Ask, api, cursor, defineTool, evaluations, id, offset, queryOf, runOf, type Tool } from "./tool.ts";

const scorer = z.string().max(200).optional().describe("Name or id of an additional scorer to use instead");

const listFailingCases = defineTool({
  name: "list_failing_cases",
  description:
    "List the results of a run that are rated low, worst first. With status: those that failed or were not rated.",
  input: z.object({
    runId: id,
    ratingMax: z.number().min(0).max(10).default(5),
    status: z.enum(["failed", "skipped"]).optional(),
    scorer,
    limit: z.int().min(1).max(10).default(10),
    cursor,
  }),
  async run({ runId, ratingMax, status, ...page }, ask) {
    const path = `${runOf(runId)}/results`;
    const filter = status === undefined ? { ratingMax, sort: "rating" } : { status };
    const listed = (await ask("GET", path, queryOf({ ...filter, ...page }))) as z.infer<typeof resultList>;
    const rows = listed.results.map((result) => ({
      resultId: result._id,
      case: result.questionIndex,
      rating: result.rating,
      status: result.status,
      question: cut(result.questionText ?? result.input?.query, 300),
      answer: cut(result.output?.text, 300),
      expected: cut(result.expected, 250),
      reason: cut(result.justification, 300),
      error: cut(result.error?.message, 150),
      traceId: cut(result.traceId, 80),
    }));
    return { facts: { runId, totalCount: listed.totalCount, next: listed.nextCursor }, recorded: rows };
  },
});

const compareRuns = defineTool({
  name: "compare_runs",
  description: "Compare two runs of one dataset case by case: the verdict, then the cases, those that got worse first.",
  input: z.object({ baseline: id, candidate: id, scorer, offset }),
  async run({ offset: from, ...asked }, ask) {
    const query = queryOf({ ...asked, view: "preview" });
    const { cases, paired, ...compared } = (await ask("GET", `${api}/evaluate/runs/compare`, query)) as z.infer<
      typeof comparedRuns
    >;
    const side = ({ rating, output, justification, traceId }: (typeof cases)[number]["baseline"]) => ({
      rating,
      answer: cut(output, 200),
      reason: cut(justification, 200),
      traceId: cut(traceId, 80),
    });
    const sorted = cases
      .toSorted((left, right) => (left.delta ?? Infinity) - (right.delta ?? Infinity))
      .map((one) => ({
        case: one.questionIndex,
        delta: one.delta,
        question: cut(one.query, 200),
        expected: cut(one.expected, 200),
        baseline: side(one.baseline),
        candidate: side(one.candidate),
      }));
    const { rows, next } = fitRows(sorted, from);
    const averages = {
      baseline: compared.baselineRun.averageRating,
      candidate: compared.candidateRun.averageRating,
    };
    return { facts: { averages, paired, cases: cases.length, next }, recorded: rows };
  },
});

const gateRun = defineTool({
  name: "gate_run",
  description:
    "Decide whether a run passes. Give failUnder, noRegression or method=paired, or several. Nothing is recorded.",
  input: z.object({
    runId: id,
    failUnder: z.number().optional().describe("The least average that passes"),
    noRegression: z.boolean().optional().describe("Compare the average with the baseline's"),
    tolerance: z.number().optional(),
    method: z.enum(["paired"]).optional().describe("Compare case by case with the baseline"),
    minEffect: z.number().optional(),
    strict: z.boolean().optional().describe("Undecided does not pass (paired)"),
    baseline: id.optional().describe("A run; default: the newest baseline"),
    scorer,
    metric: z.string().max(200).optional().describe("Gate this score instead of ratings"),
  }),
  async run({ runId, ...checks }, ask) {
    const found = (await ask("GET", `${runOf(runId)}/gate`, queryOf(checks))) as Gate;
    const { gatedScorer: _, gatedMetric: __, checks: decided, ...facts } = found;
    const shown = decided.map((check) => ({ ...check, detail: cut(check.detail, 500) }));
    return { facts, recorded: { checks: shown } };
  },
});

const listDatasets = defineTool({
  name: "list_datasets",
  description: "List datasets, newest first. With datasetId: the runs of that dataset, newest first.",
  input: z.object({
    search: z.string().max(500).optional(),
    datasetId: id.optional(),
    limit: z.int().min(1).max(20).default(20),
    cursor,
  }),
  async run({ datasetId, search, ...page }, ask) {
    if (datasetId !== undefined) return listRuns({ datasetId, ...page }, ask);
    const query = queryOf({ ...page, search, view: "summary" });
    const listed = (await ask("GET", `${evaluations}/datasets`, query)) as z.infer<typeof datasetSummaries>;
    const rows = listed.datasets.map(({ _id, name, description, caseCount, version, lastRunAt }) => ({
      datasetId: _id,
      name: cut(name, 150),
      description: cut(description, 300),
      caseCount,
      version,
      lastRunAt,
    }));
    return { facts: { totalCount: listed.totalCount, next: listed.nextCursor }, recorded: rows };
  },
});

async function listRuns(asked: { datasetId: string; limit: number; cursor?: string | undefined }, ask: Ask) {
  const query = queryOf({ ...asked, caseStatistics: "none" });
  const listed = (await ask("GET", `${evaluations}/runs`, query)) as z.infer<typeof runList>;
  const rows = listed.runs.map((run) => ({
    runId: run._id,
    status: run.status,
    createdAt: run.createdAt,
    results: run.resultCount,
    averageRating: run.liveStatistics.averageRating,
    subject: cut(String(run.evaluationSubject?.displayName ?? run.evaluationSubject?.name ?? ""), 100),
    version: cut(String(run.evaluationSubject?.version ?? ""), 80),
  }));
  return { facts: { totalCount: listed.totalCount, next: listed.nextCursor }, recorded: rows };
}

export const evaluationTools: readonly Tool[] = [listDatasets, listFailingCases, compareRuns, gateRun];
