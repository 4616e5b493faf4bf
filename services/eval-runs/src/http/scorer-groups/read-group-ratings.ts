import type { groupRatings } from "@touchstone/contracts";
import type { Clock, Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import type { GroupStore } from "../../graders/group-store.ts";
import { composeRatingPoints, readWindow, stretchesOf } from "../../graders/rating-points.ts";
import { scorerGroupId, scorerGroupNotFound } from "./scorer-group-id.ts";

/**
 * GET /agent-monitoring/scorer-groups/{scorerGroupId}/ratings (completions 4.4): the average of what the group gave the
 * results of runs, by the time they were stored.
 */
export function readGroupRatings({ groups, clock }: { groups: GroupStore; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const id = scorerGroupId(call);
    if (id === null || !(await groups.exists(projectId, id))) scorerGroupNotFound();
    const window = readWindow(call.query.window);
    const now = clock.now();
    const buckets = await groups.tallyRatings(projectId, id, stretchesOf(window, now));
    const body: z.input<typeof groupRatings> = { window, points: composeRatingPoints(window, now, buckets) };
    return { status: 200, body };
  };
}
