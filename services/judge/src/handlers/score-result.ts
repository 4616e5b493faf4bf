import type { Answering, Bus, Call } from "@touchstone/bus";
import { deadlines, type SimilarityScores, scoreResult } from "@touchstone/contracts";
import type { Clock } from "@touchstone/service-kit";
import { limitTime } from "../scheduling/time-limit.ts";
import type { SimilarityJob } from "../scorers/similarity/score-similarity.ts";
import type { CaseJudge } from "../verdict/judge-case.ts";

export interface ScoreResultDependencies {
  judgeCase: CaseJudge;
  scoreSimilarity(job: SimilarityJob): Promise<SimilarityScores>;
  clock: Clock;
}

/** How long before the requester's deadline the reply sets out, so that what is finished arrives in time. */
const replyMarginMs = 1_000;

/**
 * Answers `svc.judge.score-result.v1`: every rubric and every metric in parallel, each isolated (architecture 4). It
 * always replies before the deadline, and what is unfinished by then is skipped or null; nothing waits for it.
 */
export function answerScoreResult(
  bus: Bus,
  dependencies: ScoreResultDependencies,
  options: { concurrency: number },
): Promise<Answering> {
  return bus.answer(scoreResult, (body, call) => scoreOne(body, call, dependencies), options);
}

type Body = ReturnType<typeof scoreResult.body.parse>;
type Reply = ReturnType<typeof scoreResult.reply.parse>;

async function scoreOne(body: Body, call: Call, dependencies: ScoreResultDependencies): Promise<Reply> {
  const { judgeCase, scoreSimilarity, clock } = dependencies;
  const leftMs = Math.max(0, Math.min(call.deadlineAtMs - clock.now(), deadlines.resultMs));
  const workMs = leftMs - Math.min(replyMarginMs, leftMs / 4);
  const limit = limitTime(call.signal, workMs);
  const options = { group: body.projectId, signal: limit.signal, deadlineAtMs: clock.now() + workMs };
  const { output: candidate, expected: reference } = body.case;
  try {
    const [similarity, ...verdicts] = await Promise.all([
      scoreSimilarity({ request: body.similarity, candidate, reference, ...options }),
      ...body.judges.map((rubric) => judgeCase(rubric, body.case, options)),
    ]);
    return { verdicts, similarity };
  } finally {
    limit.clear();
  }
}
