import type { Handler } from "@touchstone/service-kit";
import type { ConfigStore } from "../../graders/config-store.ts";
import { renderJudgeScorer } from "../../graders/render-config.ts";
import { requireProject } from "../require-project.ts";

/** GET /agent-monitoring/judge-scorers (completions 4.2), newest first. */
export function listJudgeScorers({ configs }: { configs: ConfigStore }): Handler {
  return async (call) => {
    const found = await configs.list(requireProject(call));
    return { status: 200, body: `{"judgeScorers":[${found.map(renderJudgeScorer).join(",")}]}` };
  };
}
