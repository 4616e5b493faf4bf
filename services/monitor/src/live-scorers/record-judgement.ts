import type { GroupJudge } from "@touchstone/contracts";
import type { Queryable } from "@touchstone/db";
import { storableText } from "@touchstone/service-kit";
import type { DueCheck } from "../checks/check.ts";
import type { JudgedSubject, JudgingPlan } from "../judging/judged-subject.ts";
import type { FindingStore, RaisedSignal, Severity } from "../model/finding.ts";
import { isFailing } from "../verdicts/judge-scores.ts";
import type { VerdictExports } from "../verdicts/otlp-export/verdict-queue-store.ts";
import { announceJudgedSession, insertSessionScore } from "../verdicts/session-score-store.ts";
import { announceJudgedTrace, recordVerdict } from "../verdicts/verdict-store.ts";

/** The judgement of a live judge or group. */
export interface Judgement {
  scorerKey: string;
  scorerId: string;
  scorerName: string;
  scorerVersion: number | null;
  kind: "judge" | "group";
  rating: number;
  threshold: number | null;
  severity: Severity;
  justification: string;
  model: string | null;
  /** The id of the judge's record; null: it has none, or the judgement is a group's. */
  recordId: string | null;
  /** The judges of a group; null for a judge. */
  judges: readonly GroupJudge[] | null;
}

const previewMaxChars = 500;
const justificationMaxChars = 4_000;

/** The stores that judgements are written to besides the verdicts. */
export interface JudgementRecords {
  findings: FindingStore;
  verdictExports: VerdictExports;
}

/**
 * Writes a judgement: the verdict, the event, the signal if it is below its threshold (an equal rating passes), and the update
 * for ingest; for a session its score instead of the verdict. Both are exported if an export is configured.
 */
export async function recordJudgement(
  transaction: Queryable,
  { findings, verdictExports }: JudgementRecords,
  { projectId, subjectId, plan, round }: DueCheck,
  subject: JudgedSubject,
  judgement: Judgement,
): Promise<void> {
  const about = plan as JudgingPlan;
  const { scorerKey, kind, rating, severity } = judgement;
  const justification = storableText(judgement.justification, justificationMaxChars);
  const isTrace = about.scope === "trace";
  const { agentId, createdAt } = about;
  const said = { ...judgement, justification };
  const verdictId = isTrace
    ? await recordVerdict(transaction, projectId, { ...said, isGroup: kind === "group", traceId: subjectId, agentId })
    : await insertSessionScore(transaction, projectId, {
        ...said,
        sessionId: subjectId,
        round,
        spanCount: about.spanCount,
      });
  const failing = isFailing(judgement);
  await verdictExports.write(transaction, projectId, [
    {
      ...said,
      verdictId,
      traceId: isTrace ? subjectId : null,
      otel: isTrace ? (about.otel ?? null) : null,
      sessionId: isTrace ? null : subjectId,
      agentId,
      runId: null,
      scorerKind: kind,
      failing: judgement.threshold === null ? null : failing,
      givenAt: new Date().toISOString(),
    },
  ]);
  const finding = {
    patternKey: scorerKey,
    kind,
    polarity: failing ? ("failure" as const) : ("proper" as const),
    severity,
    agentId,
    traceId: isTrace ? subjectId : null,
    sessionId: isTrace ? about.sessionId : subjectId,
    rating,
    justification,
    recordId: judgement.recordId,
    createdAt,
  };
  await findings.record(transaction, projectId, finding, failing ? signalOf(judgement, subject) : null);
  // Last: other scorers of the same trace or session wait from here on.
  if (isTrace) await announceJudgedTrace(transaction, projectId, subjectId);
  else await announceJudgedSession(transaction, projectId, subjectId);
}

function signalOf(
  { kind, scorerName, rating, threshold, justification }: Judgement,
  subject: JudgedSubject,
): RaisedSignal {
  return {
    type: kind === "group" ? "scorer_group_low_score" : "online_evaluator_low_score",
    summary: `"${scorerName}" rated ${rating} of 10, below its threshold of ${threshold}.`,
    rootCause: storableText(justification, justificationMaxChars),
    query: subject.query === null ? null : storableText(subject.query, previewMaxChars),
    responsePreview: subject.response === null ? null : storableText(subject.response, previewMaxChars),
  };
}
