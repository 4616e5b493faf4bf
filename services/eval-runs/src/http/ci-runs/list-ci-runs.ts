import type { Handler } from "@touchstone/service-kit";
import type { CiRunStore } from "../../ci-runs/ci-run-store.ts";
import { renderCiRun } from "../../ci-runs/render-ci-run.ts";
import { readVerdictQuery } from "../../gates/verdict-query.ts";
import { requireProject } from "../require-project.ts";

/** GET /ingest/ci-runs (completions 8.4): the newest first. What cannot be a dataset has none. */
export function listCiRuns({ ciRuns }: { ciRuns: CiRunStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const query = readVerdictQuery(call.query);
    const [found, totalCount] = await Promise.all([
      ciRuns.list(projectId, { ...query, limit: query.limit + 1 }),
      ciRuns.count(projectId, query.filter),
    ]);
    const page = found.slice(0, query.limit);
    const hasNextPage = found.length > query.limit;
    const rest = {
      total_count: totalCount,
      has_next_page: hasNextPage,
      next_cursor: hasNextPage ? (page.at(-1)?.id ?? null) : null,
    };
    const texts = page.map((ciRun) => renderCiRun(ciRun));
    return { status: 200, body: `{"ci_runs":[${texts.join(",")}],${JSON.stringify(rest).slice(1)}` };
  };
}
