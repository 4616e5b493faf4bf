import {
  type deletedScore,
  type HumanScores,
  humanScoresMax,
  humanScoresQuery,
  internalRoutes,
  isStorable,
  type RunScores,
  routes,
  runScoresMax,
  runScoresQuery,
  type scoreList,
  type scoreReply,
  type storedScores,
} from "@touchstone/contracts";
import {
  AppError,
  type Call,
  type Clock,
  endOfPage,
  type Handler,
  readJsonText,
  requireProject,
  type ServedRoute,
} from "@touchstone/service-kit";
import type { z } from "zod";
import { readPosition, readScoreQuery, writePosition } from "./read-score-query.ts";
import { readScores } from "./read-scores.ts";
import type { ScoreStore } from "./score-store.ts";
import { showScore } from "./show-score.ts";

/** Scores that clients give (completions 2.9). */
export function scoreRoutes(dependencies: {
  scores: ScoreStore;
  clock: Clock;
  reads(handle: Handler): Handler;
  onceReady(handle: Handler): Handler;
}): ServedRoute[] {
  const { reads, onceReady } = dependencies;
  return [
    { route: routes.submitScores, handle: onceReady(submitScores(dependencies)) },
    { route: routes.listScores, handle: reads(listScores(dependencies)) },
    { route: routes.getScore, handle: reads(getScore(dependencies)) },
    { route: routes.deleteScore, handle: onceReady(deleteScore(dependencies)) },
    { route: internalRoutes.readHumanScores, handle: onceReady(readHumanScores(dependencies)) },
    { route: internalRoutes.readRunScores, handle: onceReady(readRunScores(dependencies)) },
  ];
}

/** `POST /scores`: one or many, all or none. */
function submitScores({ scores, clock }: { scores: ScoreStore; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const nowMs = clock.now();
    const sent = readScores(await readJsonText(call), { authorId: call.identity.userId, nowMs });
    const stored = await scores.put(projectId, sent, new Date(nowMs));
    const body: z.input<typeof storedScores> = { scores: stored.map(showScore) };
    return { status: 201, body };
  };
}

/** `GET /scores`: newest first. */
function listScores({ scores }: { scores: ScoreStore }): Handler {
  return async (call) => {
    const page = await scores.list(requireProject(call), readScoreQuery(call));
    const body: z.input<typeof scoreList> = { scores: page.rows.map(showScore), ...endOfPage(page, writePosition) };
    return { status: 200, body };
  };
}

/** `GET /scores/{scoreId}`. */
function getScore({ scores }: { scores: ScoreStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const id = readId(call);
    const found = id === null ? null : await scores.find(projectId, id);
    if (found === null) throw new AppError("not_found", "Score not found");
    const body: z.input<typeof scoreReply> = { score: showScore(found) };
    return { status: 200, body };
  };
}

/** `DELETE /scores/{scoreId}`. */
function deleteScore({ scores }: { scores: ScoreStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const id = readId(call);
    if (id === null || !(await scores.remove(projectId, id))) throw new AppError("not_found", "Score not found");
    const body: z.input<typeof deletedScore> = { deleted: true };
    return { status: 200, body };
  };
}

/** Answers monitor when it compares judges with people. */
function readHumanScores({ scores }: { scores: ScoreStore }): Handler {
  return async (call) => {
    const { projectId, since, cursor } = humanScoresQuery.parse(await call.json());
    const { scores: found, hasNextPage } = await scores.listOfPeople(projectId, {
      since: new Date(since),
      after: readPosition(cursor),
      limit: humanScoresMax,
    });
    const last = found.at(-1);
    const body: HumanScores = {
      scores: found.map(({ traceIds, value, comment, scoredAt }) => ({
        ...{ traceIds, value, comment },
        timestamp: scoredAt.toISOString(),
      })),
      nextCursor: hasNextPage && last !== undefined ? writePosition(last) : null,
    };
    return { status: 200, body };
  };
}

/** Answers eval-runs when it gates a run by a score. */
function readRunScores({ scores }: { scores: ScoreStore }): Handler {
  return async (call) => {
    const { projectId, cursor, ...query } = runScoresQuery.parse(await call.json());
    const { scores: found, hasNextPage } = await scores.listOfRun(projectId, {
      ...query,
      after: readPosition(cursor),
      limit: runScoresMax,
    });
    const last = found.at(-1);
    const body: RunScores = {
      scores: found.map(({ value, runId, caseId, runNumber, traceIds, spanId }) => ({
        value,
        ofRun: runId !== null && runId === query.runId ? { caseId, runNumber } : null,
        traceIds,
        spanId,
      })),
      nextCursor: hasNextPage && last !== undefined ? writePosition(last) : null,
    };
    return { status: 200, body };
  };
}

/** Null: no score can have this id. */
function readId({ params }: Pick<Call, "params">): string | null {
  const { scoreId = "" } = params;
  return isStorable(scoreId) ? scoreId : null;
}
