import { limits } from "@touchstone/contracts";
import { AppError, type Handler, isUuid } from "@touchstone/service-kit";
import { readText } from "../../gates/gate-request.ts";
import type { Gradings } from "../../grading/gradings.ts";
import { type CountingDependencies, countRuns } from "../../runs/count-runs.ts";
import { renderListedRun } from "../../runs/render-run.ts";
import type { RunCounts } from "../../runs/run-counter.ts";
import type { RunListQuery, RunStore } from "../../runs/run-store.ts";
import { requireProject } from "../require-project.ts";

type Query = Parameters<typeof readText>[0];

/** Runs that are counted together: a page may be of many, with many cases each. */
const countedAtOnce = 10;

/** GET /custom-agent-evaluations/runs (completions 5.2): newest first, without results. */
export function listRuns({
  runs,
  gradings,
  ...counting
}: CountingDependencies & {
  runs: RunStore;
  gradings: Pick<Gradings, "planOf">;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const query = readQuery(call.query);
    const found = await runs.list(projectId, { ...query, limit: query.limit + 1 });
    const page = await Promise.all(
      found.slice(0, query.limit).map(async (run) => ({ run, plan: await gradings.planOf(projectId, run) })),
    );
    const texts: string[] = [];
    for (let from = 0; from < page.length; from += countedAtOnce) {
      const part = page.slice(from, from + countedAtOnce);
      const listed = part.map(({ run, plan }) => ({ id: run.id, plan }));
      const counts = await countRuns(counting, projectId, listed);
      texts.push(...part.map(({ run, plan }) => renderListedRun(run, plan, counts.get(run.id) as RunCounts)));
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
