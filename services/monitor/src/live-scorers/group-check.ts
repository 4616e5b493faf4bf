import type { LiveGroup, scoreResult } from "@touchstone/contracts";
import type { z } from "zod";
import { type Check, checkTriesMax, type DueCheck } from "../checks/check.ts";
import { type JudgedSubject, readSubject } from "../judging/judged-subject.ts";
import { budgetExhausted } from "../judging/live-budget-store.ts";
import { isPassing, isUncounted } from "../judging/live-judge.ts";
import { type MemberFinding, type MemberScorers, UnavailableError } from "../judging/member-scorer.ts";
import type { JudgingDependencies } from "./judge-check.ts";
import { planGroups } from "./plan-judging.ts";
import { recordJudgement } from "./record-judgement.ts";

type GroupRequest = NonNullable<z.input<typeof scoreResult.body>["group"]>;

/** Scorer groups that are attached to live traffic (completions 4.4). The judge computes the score. */
export function createGroupCheck(dependencies: JudgingDependencies & { memberScorers: MemberScorers }): Check {
  const { database, liveScorers, ingest, judge, memberScorers, ...records } = dependencies;

  /** The findings of the members that are not judges, by position. */
  async function scoreMembers(
    { members }: LiveGroup,
    { projectId, attempt }: DueCheck,
    { trace }: JudgedSubject,
    signal: AbortSignal,
  ): Promise<(MemberFinding | null)[]> {
    return Promise.all(
      members.map(async ({ kind, refId }) => {
        const score = kind === "judge" || trace === null ? undefined : memberScorers[kind];
        if (score === undefined || trace === null) return null;
        try {
          return await score(refId, { projectId, trace }, signal);
        } catch (thrown) {
          // As with judges, the last try uses the findings of the others.
          if (signal.aborted || thrown instanceof UnavailableError || attempt < checkTriesMax) throw thrown;
          const because = thrown instanceof Error ? thrown.message : String(thrown);
          return { name: refId, goodness: null, because };
        }
      }),
    );
  }

  return {
    kind: "group",

    async plan(trace, transaction) {
      const { groups } = await liveScorers.readToPlan(transaction, trace.projectId);
      return planGroups(groups, trace, transaction);
    },

    async carryOut(check, signal) {
      const { projectId, scorerId } = check;
      const { groups } = await database.scoped([projectId], (transaction) => liveScorers.read(transaction, projectId));
      const group = groups.find((each) => each.groupId === scorerId);
      if (group === undefined || !group.enabled) {
        return { outcome: "skipped", reason: "The scorer group was paused or removed." };
      }
      const read = await readSubject(ingest, check);
      if (!("subject" in read)) return read;
      const { subject } = read;
      const found = await scoreMembers(group, check, subject, signal).catch((thrown: unknown) => {
        if (thrown instanceof UnavailableError) return thrown;
        throw thrown;
      });
      if (found instanceof UnavailableError) return { outcome: "postponed", reason: found.message };
      const asked = await judge.ask(
        {
          projectId,
          judges: group.rubrics,
          case: subject.case,
          group: (isStopped) => composeGroup(group, found, isStopped),
        },
        signal,
      );
      if (!("reply" in asked)) return asked;
      const { verdicts, group: score } = asked.reply;
      const uncounted = verdicts.find(isUncounted);
      if (uncounted !== undefined) return { outcome: "postponed", reason: uncounted.justification };
      const waiting = verdicts.find(isPassing);
      // The last try uses the findings of the others: a member that fails affects only itself.
      if (waiting !== undefined && check.attempt < checkTriesMax) {
        return { outcome: "retry", reason: waiting.justification };
      }
      if (score === null || score.rating === null) {
        return { outcome: "skipped", reason: score?.justification ?? budgetExhausted };
      }
      const judgement = {
        scorerKey: `scorer-group:${group.groupId}`,
        scorerId,
        scorerName: group.name,
        scorerVersion: null,
        kind: "group",
        rating: score.rating,
        threshold: group.alertThreshold,
        severity: group.severity,
        justification: score.justification,
        model: null,
        recordId: null,
        judges: group.rubrics.map(({ id, name }) => {
          const said = verdicts.find(({ judgeId }) => judgeId === id);
          return { scorerId: id, name, rating: said?.rating ?? null, verdictId: said?.verdictId ?? null };
        }),
      } as const;
      return {
        outcome: "done",
        record: (transaction) => recordJudgement(transaction, records, check, subject, judgement),
      };
    },
  };
}

function composeGroup(group: LiveGroup, found: readonly (MemberFinding | null)[], isStopped: boolean): GroupRequest {
  const names = new Map(group.rubrics.map(({ id, name }) => [id, name]));
  return {
    name: group.name,
    members: group.members.map(({ kind, refId, weight, gate }, index) => {
      if (kind === "judge") {
        const stoppedByBudget = isStopped && names.has(refId);
        return { kind, refId, name: names.get(refId) ?? refId, weight, gate, stoppedByBudget };
      }
      const finding = found[index] ?? { name: refId, goodness: null, because: "It no longer exists." };
      return { kind, refId, weight, gate, ...finding };
    }),
  };
}
