import { limits } from "@touchstone/contracts";
import { AppError, type Handler, isUuid } from "@touchstone/service-kit";
import { readText } from "../../gates/gate-request.ts";
import type { Gradings } from "../../grading/gradings.ts";
import { rowGradersOf } from "../../grading/plan.ts";
import type { ResultStore } from "../../results/result-store.ts";
import { renderListedRun } from "../../runs/render-run.ts";
import type { RunListQuery, RunStore } from "../../runs/run-store.ts";
import { requireProject } from "../require-project.ts";

type Query = Parameters<typeof readText>[0];

/** Runs whose results are in memory at a time: a page may be of many large ones. */
const countedAtOnce = 10;

/** GET /custom-agent-evaluations/runs (completions 5.2): newest first, without results. */
export function listRuns({
  runs,
  results,
  gradings,
}: {
  runs: RunStore;
  results: ResultStore;
  gradings: Pick<Gradings, "planOf">;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const query = readQuery(call.query);
    const found = await runs.list(projectId, { ...query, limit: query.limit + 1 });
    const page = await Promise.all(
      found.slice(0, query.limit).map(async (run) => {
        const plan = await gradings.planOf(projectId, run);
        return { run, plan, hasSeveral: plan.primary.kind === "group" || rowGradersOf(plan).length > 0 };
      }),
    );
    const texts: string[] = [];
    for (let from = 0; from < page.length; from += countedAtOnce) {
      const part = page.slice(from, from + countedAtOnce);
      const idsOf = (hasSeveral: boolean) =>
        part.filter((listed) => listed.hasSeveral === hasSeveral).map(({ run }) => run.id);
      const counted = await results.listCounted(projectId, { ofOneJudge: idsOf(false), ofSeveral: idsOf(true) });
      texts.push(...part.map(({ run, plan }) => renderListedRun(run, plan, counted.get(run.id) ?? [])));
    }
    const hasNextPage = found.length > query.limit;
    const nextCursor = hasNextPage ? (page.at(-1)?.run.id ?? null) : null;
    return {
      status: 200,
      body: `{"runs":[${texts.join(",")}],"hasNextPage":${hasNextPage},"nextCursor":${JSON.stringify(nextCursor)}}`,
    };
  };
}

const statuses = ["in_progress", "completed", "failed"] as const;
const noRun = "00000000-0000-0000-0000-000000000000";

function readQuery(query: Query): RunListQuery {
  const limit = readText(query, "limit") ?? String(limits.runPageDefault);
  if (!/^\d{1,9}$/.test(limit) || Number(limit) < 1 || Number(limit) > limits.runPageMax) {
    throw new AppError("bad_request", `limit must be a number between 1 and ${limits.runPageMax}`);
  }
  const cursor = readText(query, "cursor");
  if (cursor !== null && !isUuid(cursor)) throw new AppError("bad_request", "cursor must be the id of a run");
  const status = readText(query, "status");
  const known = statuses.find((name) => name === status) ?? null;
  if (status !== null && known === null) {
    throw new AppError("bad_request", "status must be in_progress, completed or failed");
  }
  const datasetId = readText(query, "datasetId");
  // What cannot be a dataset has no runs.
  return {
    limit: Number(limit),
    cursor,
    datasetId: datasetId === null || isUuid(datasetId) ? datasetId : noRun,
    status: known,
  };
}
