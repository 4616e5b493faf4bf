import type { scoreResult, Verdict, VerdictMode } from "@touchstone/contracts";
import type { z } from "zod";
import { type Judgement, type JudgeRequest, type MemberFinding, skipped } from "./judgement.ts";

export type JudgeReply = z.output<typeof scoreResult.reply>;

/**
 * Reads the judge's reply on a result: its rating is the group's score for a group, else the first judge's. The failure of one
 * judge or scorer does not affect the others (completions 5.3).
 */
export function readReply(request: JudgeRequest, reply: JudgeReply, members: readonly MemberFinding[] = []): Judgement {
  const { similarity, deterministic } = reply;
  const verdicts = new Map(
    request.judges.flatMap((judge, index) => {
      const verdict = reply.verdicts[index];
      return verdict === undefined ? [] : [[judge.id, verdict] as const];
    }),
  );
  const rated = request.group ? rateByGroup(reply) : rateByJudge(reply.verdicts[0]);
  return { ...rated, similarity, verdicts, deterministic, members };
}

function rateByJudge(verdict: Verdict | undefined): Judgement {
  if (verdict === undefined) return skipped("unparseable", "The judge returned no verdict.");
  const { status, rating, justification, reason, source, verdictId } = verdict;
  const isSkipped = status === "skipped" || rating === null;
  const judged = isSkipped
    ? skipped(reason ?? "unparseable", justification)
    : scored(rating, justification, source ?? "live");
  return { ...judged, verdictId };
}

function rateByGroup({ group, verdicts }: JudgeReply): Judgement {
  if (group === null) return skipped("unparseable", "The judge returned no score of the group.");
  const { rating, justification, reason } = group;
  if (rating === null) return skipped(reason ?? "no_score", justification);
  return scored(rating, justification, sourceOf(verdicts));
}

function scored(rating: number, justification: string, verdictSource: VerdictMode): Judgement {
  return { ...skipped("no_score", justification), status: "scored", rating, skipReason: null, verdictSource };
}

/** A group's score counts as recorded only if all its verdicts are: one live verdict makes it live. */
function sourceOf(verdicts: readonly Verdict[]): VerdictMode {
  const sources = new Set(verdicts.filter(({ rating }) => rating !== null).map(({ source }) => source ?? "live"));
  return (["live", "cache", "replay"] as const).find((source) => sources.has(source)) ?? "live";
}
