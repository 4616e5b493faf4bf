import { actOf, type Handler, readJsonObject, requireProject } from "@touchstone/service-kit";
import type { GroupBook } from "../../graders/group-book.ts";
import { renderGroup } from "../../graders/render-group.ts";

/** POST /agent-monitoring/scorer-groups (completions 4.4). */
export function createScorerGroup({ book }: { book: GroupBook }): Handler {
  return async (call) => {
    const { value } = await readJsonObject(call);
    const group = await book.create(requireProject(call), value, actOf(call.identity));
    return { status: 201, body: { scorerGroup: renderGroup(group) } };
  };
}
