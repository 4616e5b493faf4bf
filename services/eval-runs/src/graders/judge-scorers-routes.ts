import { isUuid, routes } from "@touchstone/contracts";
import {
  AppError,
  actOf,
  type Call,
  encodeList,
  endText,
  type Handler,
  readJsonObject,
  requireProject,
  type ServedRoute,
} from "@touchstone/service-kit";
import { readListQuery } from "../queries/list-query.ts";
import type { ConfigBook } from "./config-book.ts";
import { readJudgeScorerChange } from "./config-change.ts";
import type { ConfigStore } from "./config-store.ts";
import { renderJudgeScorer } from "./render-config.ts";

/** Grading configs as judge scorers, in sections (completions 4.2). */
export function judgeScorerRoutes(dependencies: { book: ConfigBook; configs: ConfigStore }): ServedRoute[] {
  return [
    { route: routes.createJudgeScorer, handle: createJudgeScorer(dependencies) },
    { route: routes.listJudgeScorers, handle: listJudgeScorers(dependencies) },
    { route: routes.getJudgeScorer, handle: getJudgeScorer(dependencies) },
    { route: routes.updateJudgeScorer, handle: updateJudgeScorer(dependencies) },
    { route: routes.deleteJudgeScorer, handle: deleteJudgeScorer(dependencies) },
  ];
}

/** POST /agent-monitoring/judge-scorers (completions 4.2). */
function createJudgeScorer({ book }: { book: ConfigBook }): Handler {
  return async (call) => {
    const change = readJudgeScorerChange(await readJsonObject(call));
    const config = await book.create(requireProject(call), change, actOf(call.identity));
    return { status: 201, body: await encodeList('{"judgeScorer":', [renderJudgeScorer(config)], "}") };
  };
}

/** GET /agent-monitoring/judge-scorers (completions 4.2), newest first. */
function listJudgeScorers({ configs }: { configs: ConfigStore }): Handler {
  return async (call) => {
    const page = await configs.list(requireProject(call), readListQuery(call, "the id of a judge scorer"));
    const tail = `]${endText(page, ({ id }) => id)}`;
    return { status: 200, body: await encodeList('{"judgeScorers":[', page.rows.map(renderJudgeScorer), tail) };
  };
}

/** GET /agent-monitoring/judge-scorers/{judgeScorerId} (completions 4.2). */
function getJudgeScorer({ configs }: { configs: ConfigStore }): Handler {
  return async (call) => {
    const id = judgeScorerId(call);
    const config = id === null ? null : await configs.find(requireProject(call), id);
    return {
      status: 200,
      body: await encodeList('{"judgeScorer":', [renderJudgeScorer(config ?? judgeScorerNotFound())], "}"),
    };
  };
}

/**
 * PUT /agent-monitoring/judge-scorers/{judgeScorerId} (completions 4.2): changes only the members that were sent, also within
 * each section; `online: null` detaches.
 */
function updateJudgeScorer({ book }: { book: ConfigBook }): Handler {
  return async (call) => {
    const change = readJudgeScorerChange(await readJsonObject(call));
    const id = judgeScorerId(call);
    const config = id === null ? null : await book.update(requireProject(call), id, change, actOf(call.identity));
    return {
      status: 200,
      body: await encodeList('{"judgeScorer":', [renderJudgeScorer(config ?? judgeScorerNotFound())], "}"),
    };
  };
}

/** DELETE /agent-monitoring/judge-scorers/{judgeScorerId} (completions 4.2), with its live profile. */
function deleteJudgeScorer({ book }: { book: ConfigBook }): Handler {
  return async (call) => {
    const id = judgeScorerId(call);
    const isGone =
      id !== null && (await book.delete(requireProject(call), id, { withProfile: true, act: actOf(call.identity) }));
    return isGone ? { status: 200, body: { deleted: true } } : judgeScorerNotFound();
  };
}

/** The id in the path, or null when it is malformed. */
function judgeScorerId(call: Call): string | null {
  const id = call.params.judgeScorerId ?? "";
  return isUuid(id) ? id : null;
}

function judgeScorerNotFound(): never {
  throw new AppError("not_found", "Judge scorer not found");
}
