import type { Database } from "@touchstone/db";
import type { Check } from "../checks/check.ts";
import { readSubject, type TrafficReader } from "../judging/judged-subject.ts";
import { endingOfVerdict, type LiveJudge } from "../judging/live-judge.ts";
import type { LiveScorerStore } from "./live-scorer-store.ts";
import { planJudges } from "./plan-judging.ts";
import { type JudgementRecords, recordJudgement } from "./record-judgement.ts";

export interface JudgingDependencies extends JudgementRecords {
  database: Database;
  liveScorers: Pick<LiveScorerStore, "read" | "readToPlan">;
  ingest: TrafficReader;
  judge: LiveJudge;
}

/** Judges that are attached to live traffic, each for itself (completions 4.2, 9.5). */
export function createJudgeCheck({ database, liveScorers, ingest, judge, ...records }: JudgingDependencies): Check {
  return {
    kind: "judge",

    async plan(trace, transaction) {
      const { judges } = await liveScorers.readToPlan(transaction, trace.projectId);
      return planJudges(judges, trace, transaction);
    },

    async carryOut(check, signal) {
      const { projectId, scorerId } = check;
      const { judges } = await database.scoped([projectId], (transaction) => liveScorers.read(transaction, projectId));
      const scorer = judges.find((each) => each.scorerId === scorerId);
      if (scorer === undefined || !scorer.enabled) {
        return { outcome: "skipped", reason: "The scorer was paused or removed." };
      }
      const read = await readSubject(ingest, check);
      if (!("subject" in read)) return read;
      const { subject } = read;
      const asked = await judge.ask(
        { projectId, judges: [{ ...scorer.rubric, version: scorer.version }], case: subject.case, group: null },
        signal,
      );
      if (!("reply" in asked)) return asked;
      const [verdict] = asked.reply.verdicts;
      const ending = endingOfVerdict(verdict);
      if (ending !== null || verdict === undefined || verdict.rating === null) {
        return ending ?? { outcome: "retry", reason: "The judge returned no verdict." };
      }
      const { rating, justification, model, verdictId } = verdict;
      const judgement = {
        scorerKey: `online-eval:${scorer.profileId}`,
        scorerId,
        scorerName: scorer.name,
        scorerVersion: scorer.version,
        kind: "judge",
        rating,
        threshold: scorer.alertThreshold,
        severity: scorer.severity,
        justification,
        model,
        recordId: verdictId,
        judges: null,
      } as const;
      return {
        outcome: "done",
        record: (transaction) => recordJudgement(transaction, records, check, subject, judgement),
      };
    },
  };
}
