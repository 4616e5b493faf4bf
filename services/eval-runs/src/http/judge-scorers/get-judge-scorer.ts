import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { ConfigStore } from "../../graders/config-store.ts";
import { renderJudgeScorer } from "../../graders/render-config.ts";
import { judgeScorerId, judgeScorerNotFound } from "./judge-scorer-id.ts";

/** GET /agent-monitoring/judge-scorers/{judgeScorerId} (completions 4.2). */
export function getJudgeScorer({ configs }: { configs: ConfigStore }): Handler {
  return async (call) => {
    const id = judgeScorerId(call);
    const config = id === null ? null : await configs.find(requireProject(call), id);
    return { status: 200, body: `{"judgeScorer":${renderJudgeScorer(config ?? judgeScorerNotFound())}}` };
  };
}
