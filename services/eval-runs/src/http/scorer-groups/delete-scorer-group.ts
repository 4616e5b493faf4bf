import { actOf, type Handler, requireProject } from "@touchstone/service-kit";
import type { GroupBook } from "../../graders/group-book.ts";
import { scorerGroupId, scorerGroupNotFound } from "./scorer-group-id.ts";

/** DELETE /agent-monitoring/scorer-groups/{scorerGroupId} (completions 4.4). Its open runs then take no more results. */
export function deleteScorerGroup({ book }: { book: GroupBook }): Handler {
  return async (call) => {
    const id = scorerGroupId(call);
    const isGone = id !== null && (await book.delete(requireProject(call), id, actOf(call.identity)));
    return isGone ? { status: 200, body: { deleted: true } } : scorerGroupNotFound();
  };
}
