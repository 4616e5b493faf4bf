import type { ScriptTrace, SettledTrace } from "@touchstone/contracts";
import type { Queryable } from "@touchstone/db";
import { storableText } from "@touchstone/service-kit";
import type { Check, CheckOutcome, DueCheck } from "../checks/check.ts";
import type { IngestClient } from "../ingest-client.ts";
import { isIngestUnavailable, type JudgingPlan, planOf } from "../judging/judged-subject.ts";
import { type FindingStore, previewOf } from "../model/finding.ts";
import { isSampled } from "../model/sampling.ts";
import { isSilenced } from "../profiles/agent-silence-reader.ts";
import { ratingOfScore } from "../verdicts/external-verdict.ts";
import type { VerdictExports } from "../verdicts/otlp-export/verdict-queue-store.ts";
import { announceJudgedTrace, recordVerdict } from "../verdicts/verdict-store.ts";
import type { AskEvaluator } from "./ask-evaluator.ts";
import { type EvaluatorChoice, type EvaluatorFinding, findingOf, type StoredEvaluator } from "./evaluator.ts";
import { type EvaluatorStore, listChoicesIn } from "./evaluator-store.ts";

const reasonMaxChars = 4_000;

/** Enabled custom scorers, each a separate check (completions 4.5). */
export function createCustomCheck(dependencies: {
  evaluators: Pick<EvaluatorStore, "find">;
  ingest: Pick<IngestClient, "readTraceForScripts">;
  askEvaluator: AskEvaluator;
  findings: FindingStore;
  verdictExports: VerdictExports;
}): Check {
  const { evaluators, ingest, askEvaluator, ...records } = dependencies;
  const known = new WeakMap<Queryable, Map<string, Promise<EvaluatorChoice[]>>>();

  /** Read once per planning transaction: many traces of one project settle together. */
  function listOnce(transaction: Queryable, projectId: string): Promise<EvaluatorChoice[]> {
    const ofTransaction = known.get(transaction) ?? new Map<string, Promise<EvaluatorChoice[]>>();
    known.set(transaction, ofTransaction);
    const list = ofTransaction.get(projectId) ?? listChoicesIn(transaction, projectId);
    ofTransaction.set(projectId, list);
    return list;
  }

  return {
    kind: "custom",

    async plan(trace, transaction) {
      const all = await listOnce(transaction, trace.projectId);
      const due = all.filter((each) => isDue(each, trace));
      if (due.length === 0 || (await isSilenced(transaction, trace))) return [];
      const plan = planOf(trace);
      return due.map(({ id }) => ({ kind: "custom", scorerId: id, subjectId: trace.traceId, round: 0, plan }));
    },

    async carryOut(check, signal) {
      const { projectId, scorerId, subjectId } = check;
      const evaluator = await evaluators.find(projectId, scorerId);
      if (evaluator === null || !evaluator.document.enabled) {
        return { outcome: "skipped", reason: "The custom scorer was paused or removed." };
      }
      const read = await readTrace(ingest, projectId, subjectId);
      if ("outcome" in read) return read;
      const asked = await askEvaluator({ projectId, ...evaluator }, read.trace, signal);
      if ("failure" in asked) {
        const { message: reason, kind } = asked.failure;
        return { outcome: kind === "lasting" ? "skipped" : kind === "away" ? "postponed" : "retry", reason };
      }
      const finding = findingOf(evaluator.document, asked.answer);
      if (finding === null) return { outcome: "skipped", reason: "The script skips this trace." };
      return {
        outcome: "done",
        record: (transaction) => record(transaction, { ...records, check, evaluator, trace: read.trace, finding }),
      };
    },
  };
}

function isDue({ id, document }: EvaluatorChoice, { traceId, agentId }: SettledTrace): boolean {
  const { enabled, scopeMode, agentIds, sampleRate } = document;
  const isInScope = scopeMode === "all" || (agentId !== null && agentIds.includes(agentId));
  return enabled && isInScope && isSampled(sampleRate, id, traceId);
}

async function readTrace(
  ingest: Pick<IngestClient, "readTraceForScripts">,
  projectId: string,
  traceId: string,
): Promise<{ trace: ScriptTrace } | Exclude<CheckOutcome, { outcome: "done" }>> {
  try {
    const trace = await ingest.readTraceForScripts(projectId, traceId);
    return trace === null ? { outcome: "skipped", reason: "The trace no longer exists." } : { trace };
  } catch (thrown) {
    if (isIngestUnavailable(thrown)) return { outcome: "postponed", reason: "Ingest is unavailable." };
    throw thrown;
  }
}

/** Stores the event, the signal if it is flagged, and with a score the verdict, which ingest receives. */
async function record(
  transaction: Queryable,
  found: {
    findings: FindingStore;
    verdictExports: VerdictExports;
    check: DueCheck;
    evaluator: StoredEvaluator;
    trace: ScriptTrace;
    finding: EvaluatorFinding;
  },
): Promise<void> {
  const { findings, verdictExports, check, evaluator, trace, finding } = found;
  const { projectId, subjectId: traceId } = check;
  const { name, kind, severity, alertBelow } = evaluator.document;
  const about = check.plan as JudgingPlan;
  const scorerKey = `custom-scorer:${evaluator.id}`;
  const rating = ratingOfScore(finding.score);
  const justification = finding.reason === null ? null : storableText(finding.reason, reasonMaxChars);
  if (rating !== null) {
    const said = {
      traceId,
      agentId: about.agentId,
      scorerName: name,
      scorerVersion: null,
      rating,
      // An external scorer flags a trace itself, without a threshold.
      threshold: kind === "code" ? ratingOfScore(alertBelow) : null,
      justification,
      model: null,
    };
    const verdictId = await recordVerdict(transaction, projectId, { ...said, scorerKey, isGroup: false });
    await verdictExports.write(transaction, projectId, [
      {
        ...said,
        verdictId,
        otel: about.scope === "trace" ? (about.otel ?? null) : null,
        sessionId: null,
        runId: null,
        scorerKind: "custom",
        scorerId: evaluator.id,
        failing: finding.flagged,
        givenAt: new Date().toISOString(),
      },
    ]);
  }
  const event = {
    patternKey: scorerKey,
    kind: "custom" as const,
    polarity: finding.flagged ? ("failure" as const) : ("proper" as const),
    severity,
    agentId: about.agentId,
    traceId,
    sessionId: about.scope === "trace" ? about.sessionId : null,
    rating,
    justification,
    createdAt: about.createdAt,
  };
  const signal = {
    type: "custom_evaluator_match",
    summary: rating === null ? `"${name}" flagged a trace.` : `"${name}" flagged a trace, rated ${rating} of 10.`,
    rootCause: justification,
    query: previewOf(trace.input),
    responsePreview: previewOf(trace.output),
  };
  await findings.record(transaction, projectId, event, finding.flagged ? signal : null);
  // Last: other checks of the same trace wait for this row.
  if (rating !== null) await announceJudgedTrace(transaction, projectId, traceId);
}
