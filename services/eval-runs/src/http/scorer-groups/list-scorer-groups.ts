import type { Handler } from "@touchstone/service-kit";
import type { GroupStore } from "../../graders/group-store.ts";
import { renderGroup } from "../../graders/render-group.ts";
import { requireProject } from "../require-project.ts";

/** GET /agent-monitoring/scorer-groups (completions 4.4), newest first. */
export function listScorerGroups({ groups }: { groups: GroupStore }): Handler {
  return async (call) => {
    const found = await groups.list(requireProject(call));
    return { status: 200, body: { scorerGroups: found.map(renderGroup) } };
  };
}
