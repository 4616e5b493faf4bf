import { endOfList, type Handler, requireProject } from "@touchstone/service-kit";
import type { GroupStore } from "../../graders/group-store.ts";
import { renderGroup } from "../../graders/render-group.ts";
import { readListQuery } from "../../queries/list-query.ts";

/** GET /agent-monitoring/scorer-groups (completions 4.4), newest first. */
export function listScorerGroups({ groups }: { groups: GroupStore }): Handler {
  return async (call) => {
    const page = await groups.list(requireProject(call), readListQuery(call, "the id of a scorer group"));
    return { status: 200, body: { scorerGroups: page.rows.map(renderGroup), ...endOfList(page, ({ id }) => id) } };
  };
}
