import { actOf, type Handler, requireProject } from "@touchstone/service-kit";
import type { ConfigBook } from "../../graders/config-book.ts";
import { judgeScorerId, judgeScorerNotFound } from "./judge-scorer-id.ts";

/** DELETE /agent-monitoring/judge-scorers/{judgeScorerId} (completions 4.2): its live profile goes with it. */
export function deleteJudgeScorer({ book }: { book: ConfigBook }): Handler {
  return async (call) => {
    const id = judgeScorerId(call);
    const isGone =
      id !== null && (await book.delete(requireProject(call), id, { withProfile: true, act: actOf(call.identity) }));
    return isGone ? { status: 200, body: { deleted: true } } : judgeScorerNotFound();
  };
}
