import { actOf, type Handler, readJsonObject, requireProject } from "@touchstone/service-kit";
import type { ConfigBook } from "../../graders/config-book.ts";
import { renderJudgeScorer } from "../../graders/render-config.ts";
import { judgeScorerId, judgeScorerNotFound } from "./judge-scorer-id.ts";
import { readJudgeScorerChange } from "./read-judge-scorer-change.ts";

/**
 * PUT /agent-monitoring/judge-scorers/{judgeScorerId} (completions 4.2): only what is sent changes, within each section
 * too; `online: null` detaches.
 */
export function updateJudgeScorer({ book }: { book: ConfigBook }): Handler {
  return async (call) => {
    const change = readJudgeScorerChange(await readJsonObject(call));
    const id = judgeScorerId(call);
    const config = id === null ? null : await book.update(requireProject(call), id, change, actOf(call.identity));
    return { status: 200, body: `{"judgeScorer":${renderJudgeScorer(config ?? judgeScorerNotFound())}}` };
  };
}
