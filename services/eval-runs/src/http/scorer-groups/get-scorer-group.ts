import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { GroupStore } from "../../graders/group-store.ts";
import { renderGroup } from "../../graders/render-group.ts";
import { scorerGroupId, scorerGroupNotFound } from "./scorer-group-id.ts";

/** GET /agent-monitoring/scorer-groups/{scorerGroupId} (completions 4.4). */
export function getScorerGroup({ groups }: { groups: GroupStore }): Handler {
  return async (call) => {
    const id = scorerGroupId(call);
    const group = id === null ? null : await groups.find(requireProject(call), id);
    return { status: 200, body: { scorerGroup: renderGroup(group ?? scorerGroupNotFound()) } };
  };
}
