import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { ConfigStore } from "../../graders/config-store.ts";
import { renderJudgeScorer } from "../../graders/render-config.ts";
import { endText, readListQuery } from "../../queries/list-query.ts";

/** GET /agent-monitoring/judge-scorers (completions 4.2), newest first. */
export function listJudgeScorers({ configs }: { configs: ConfigStore }): Handler {
  return async (call) => {
    const page = await configs.list(requireProject(call), readListQuery(call, "the id of a judge scorer"));
    const texts = page.rows.map(renderJudgeScorer);
    return { status: 200, body: `{"judgeScorers":[${texts.join(",")}]${endText(page, ({ id }) => id)}` };
  };
}
