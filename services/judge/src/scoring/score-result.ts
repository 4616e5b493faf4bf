import type { Answering, Bus } from "@touchstone/bus";
import { type SimilarityScores, scoreResult } from "@touchstone/contracts";
import type { Clock } from "@touchstone/service-kit";
import { limitCall } from "../providers/limit-call.ts";
import type { CallOptions } from "../providers/provider.ts";
import { limitTime } from "../scheduling/time-limit.ts";
import type { CodeScope } from "../scorers/code/score-code.ts";
import { judgeScoresOf } from "../scorers/judge-scores.ts";
import { type ScoreCode, scoreDeterministic } from "../scorers/score-deterministic.ts";
import type { SimilarityJob } from "../scorers/similarity/score-similarity.ts";
import type { CaseJudge } from "../verdicts/judge-case.ts";
import type { VerdictTerms } from "../verdicts/verdicts.ts";
import { scoreGroup } from "./score-group.ts";

export interface ScoreResultDependencies {
  judgeCase: CaseJudge;
  scoreSimilarity(job: SimilarityJob): Promise<SimilarityScores>;
  scoreCode: ScoreCode;
  clock: Clock;
}

/** Reserved for the scorers that run after the judges, so that slow judges do not prevent their rows. */
const deterministicMs = 10_000;

/**
 * Answers `svc.judge.score-result.v1`: every rubric and every metric in parallel, each isolated (completions 5.3), then the
 * group's score, then the deterministic scorers, which receive the judges' ratings. It always replies before the deadline;
 * unfinished parts are skipped, null or an error.
 */
export function answerScoreResult(
  bus: Bus,
  dependencies: ScoreResultDependencies,
  options: { concurrency: number },
): Promise<Answering> {
  return bus.answer(
    scoreResult,
    (body, call) => limitCall(call, body, dependencies.clock, (limited) => scoreOne(body, limited, dependencies)),
    options,
  );
}

type Body = ReturnType<typeof scoreResult.body.parse>;
type Reply = ReturnType<typeof scoreResult.reply.parse>;

async function scoreOne(body: Body, call: CallOptions, dependencies: ScoreResultDependencies): Promise<Reply> {
  const { judgeCase, scoreSimilarity, scoreCode, clock } = dependencies;
  const { output: candidate, expected: reference } = body.case;
  const leftMs = call.deadlineAtMs - clock.now();
  const { codeScorers, contextMatch } = body.deterministic;
  const isMoreToDo = codeScorers.length > 0 || contextMatch !== null;
  const judgingMs = leftMs - (isMoreToDo ? Math.min(deterministicMs, leftMs / 4) : 0);
  const limit = limitTime(call.signal, judgingMs);
  const judging = { ...call, signal: limit.signal, deadlineAtMs: clock.now() + judgingMs };
  const [similarity, ...verdicts] = await Promise.all([
    scoreSimilarity({
      request: body.similarity,
      candidate,
      reference,
      isReplay: body.verdictMode === "replay",
      ...judging,
    }),
    ...body.judges.map((rubric) => judgeCase(rubric, body.case, { ...judging, ...termsOf(body) })),
  ]).finally(limit.clear);
  const group = body.group === null ? null : scoreGroup(body.group, verdicts);
  const deterministic = await scoreDeterministic(body.deterministic, scopeOf(body, verdicts, group), call, scoreCode);
  return { verdicts, similarity, group, deterministic };
}

/** Verdicts are shared in the organization; without accounts each project is separate. */
function termsOf({ verdictMode, organizationId, projectId, runNumber }: Body): Omit<VerdictTerms, "group" | "signal"> {
  return { mode: verdictMode, owner: organizationId ?? projectId, runNumber };
}

/** The variables of code scorers. */
function scopeOf(body: Body, verdicts: Reply["verdicts"], group: Reply["group"]): CodeScope {
  const { input, output, expected, trajectory } = body.case;
  const scores = judgeScoresOf(body.judges, verdicts, group);
  return { input, output, expected, toolCalls: trajectory?.toolCalls, scores };
}
