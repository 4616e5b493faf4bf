import { actOf, type Handler, readJsonObject, requireProject } from "@touchstone/service-kit";
import type { GroupBook } from "../../graders/group-book.ts";
import { renderGroup } from "../../graders/render-group.ts";
import { scorerGroupId, scorerGroupNotFound } from "./scorer-group-id.ts";

/** PUT /agent-monitoring/scorer-groups/{scorerGroupId} (completions 4.4): only what is sent changes. */
export function updateScorerGroup({ book }: { book: GroupBook }): Handler {
  return async (call) => {
    const { value } = await readJsonObject(call);
    const id = scorerGroupId(call);
    const group = id === null ? null : await book.update(requireProject(call), id, value, actOf(call.identity));
    return { status: 200, body: { scorerGroup: renderGroup(group ?? scorerGroupNotFound()) } };
  };
}
