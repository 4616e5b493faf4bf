import {
  type groupRatings,
  isUuid,
  listStretches,
  readDashboardWindow,
  routes,
  type scorerGroupReply,
  stretchesOf,
} from "@touchstone/contracts";
import {
  AppError,
  actOf,
  type Call,
  type Clock,
  endOfList,
  type Handler,
  readJsonObject,
  requireProject,
  type ServedRoute,
} from "@touchstone/service-kit";
import type { z } from "zod";
import { readListQuery } from "../queries/list-query.ts";
import type { GroupBook } from "./group-book.ts";
import type { GroupStore, StoredGroup } from "./group-store.ts";

/** Routes of scorer groups and their ratings (completions 4.4). */
export function scorerGroupRoutes(dependencies: { book: GroupBook; groups: GroupStore; clock: Clock }): ServedRoute[] {
  return [
    { route: routes.createScorerGroup, handle: createScorerGroup(dependencies) },
    { route: routes.listScorerGroups, handle: listScorerGroups(dependencies) },
    { route: routes.getScorerGroup, handle: getScorerGroup(dependencies) },
    { route: routes.updateScorerGroup, handle: updateScorerGroup(dependencies) },
    { route: routes.deleteScorerGroup, handle: deleteScorerGroup(dependencies) },
    { route: routes.readGroupRatings, handle: readGroupRatings(dependencies) },
  ];
}

/** POST /agent-monitoring/scorer-groups (completions 4.4). */
function createScorerGroup({ book }: { book: GroupBook }): Handler {
  return async (call) => {
    const { value } = await readJsonObject(call);
    const group = await book.create(requireProject(call), value, actOf(call.identity));
    return { status: 201, body: { scorerGroup: renderGroup(group) } };
  };
}

/** GET /agent-monitoring/scorer-groups (completions 4.4), newest first. */
function listScorerGroups({ groups }: { groups: GroupStore }): Handler {
  return async (call) => {
    const page = await groups.list(requireProject(call), readListQuery(call, "the id of a scorer group"));
    return { status: 200, body: { scorerGroups: page.rows.map(renderGroup), ...endOfList(page, ({ id }) => id) } };
  };
}

/** GET /agent-monitoring/scorer-groups/{scorerGroupId} (completions 4.4). */
function getScorerGroup({ groups }: { groups: GroupStore }): Handler {
  return async (call) => {
    const id = scorerGroupId(call);
    const group = id === null ? null : await groups.find(requireProject(call), id);
    return { status: 200, body: { scorerGroup: renderGroup(group ?? scorerGroupNotFound()) } };
  };
}

/** PUT /agent-monitoring/scorer-groups/{scorerGroupId} (completions 4.4): changes only the members that were sent. */
function updateScorerGroup({ book }: { book: GroupBook }): Handler {
  return async (call) => {
    const { value } = await readJsonObject(call);
    const id = scorerGroupId(call);
    const group = id === null ? null : await book.update(requireProject(call), id, value, actOf(call.identity));
    return { status: 200, body: { scorerGroup: renderGroup(group ?? scorerGroupNotFound()) } };
  };
}

/**
 * DELETE /agent-monitoring/scorer-groups/{scorerGroupId} (completions 4.4). Its open runs then accept no more results.
 */
function deleteScorerGroup({ book }: { book: GroupBook }): Handler {
  return async (call) => {
    const id = scorerGroupId(call);
    const isGone = id !== null && (await book.delete(requireProject(call), id, actOf(call.identity)));
    return isGone ? { status: 200, body: { deleted: true } } : scorerGroupNotFound();
  };
}

/**
 * GET /agent-monitoring/scorer-groups/{scorerGroupId}/ratings (completions 4.4): the average of the group's ratings of run
 * results, by the time they were stored.
 */
function readGroupRatings({ groups, clock }: { groups: GroupStore; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const id = scorerGroupId(call);
    if (id === null || !(await groups.exists(projectId, id))) scorerGroupNotFound();
    const window = readDashboardWindow(call.query.window);
    const now = clock.now();
    const buckets = await groups.tallyRatings(projectId, id, stretchesOf(window, now));
    const byStart = new Map(buckets.map((bucket) => [bucket.start.getTime(), bucket]));
    const points = listStretches(window, now).map(({ start, label, ts }) => {
      const { averageRating = null, count = 0 } = byStart.get(start) ?? {};
      return { label, ts, averageRating, count };
    });
    const body: z.input<typeof groupRatings> = { window, points };
    return { status: 200, body };
  };
}

/** The id in the path, or null when it is malformed. */
function scorerGroupId(call: Call): string | null {
  const id = call.params.scorerGroupId ?? "";
  return isUuid(id) ? id : null;
}

function scorerGroupNotFound(): never {
  throw new AppError("not_found", "Scorer group not found");
}

type ScorerGroup = z.input<typeof scorerGroupReply>["scorerGroup"];

/** A scorer group as clients read it (completions 4.4). */
function renderGroup({ id, name, description, members, online, createdAt, updatedAt }: StoredGroup): ScorerGroup {
  return {
    _id: id,
    name,
    ...(description !== undefined && { description }),
    members: [...members],
    online,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
