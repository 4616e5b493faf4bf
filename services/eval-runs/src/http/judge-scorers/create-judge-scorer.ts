import { actOf, type Handler, readJsonObject, requireProject } from "@touchstone/service-kit";
import type { ConfigBook } from "../../graders/config-book.ts";
import { renderJudgeScorer } from "../../graders/render-config.ts";
import { readJudgeScorerChange } from "./read-judge-scorer-change.ts";

/** POST /agent-monitoring/judge-scorers (completions 4.2). */
export function createJudgeScorer({ book }: { book: ConfigBook }): Handler {
  return async (call) => {
    const change = readJudgeScorerChange(await readJsonObject(call));
    const config = await book.create(requireProject(call), change, actOf(call.identity));
    return { status: 201, body: `{"judgeScorer":${renderJudgeScorer(config)}}` };
  };
}
