import { endOfPage, type Handler, requireProject } from "@touchstone/service-kit";
import type { CiRunStore } from "../../ci-runs/ci-run-store.ts";
import { renderCiRun } from "../../ci-runs/render-ci-run.ts";
import { readVerdictQuery } from "../../runs/verdict-query.ts";

/** GET /ingest/ci-runs (completions 8.4): the newest first. What cannot be a dataset has none. */
export function listCiRuns({ ciRuns }: { ciRuns: CiRunStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const query = readVerdictQuery(call);
    const [page, totalCount] = await Promise.all([
      ciRuns.list(projectId, query),
      ciRuns.count(projectId, query.filter),
    ]);
    const { hasNextPage, nextCursor, truncatedBy } = endOfPage(page, ({ id }) => id);
    const rest = {
      total_count: totalCount,
      has_next_page: hasNextPage,
      next_cursor: nextCursor,
      ...(truncatedBy !== undefined && { truncated_by: truncatedBy }),
    };
    const texts = page.rows.map((ciRun) => renderCiRun(ciRun));
    return { status: 200, body: `{"ci_runs":[${texts.join(",")}],${JSON.stringify(rest).slice(1)}` };
  };
}
