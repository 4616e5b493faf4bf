import type { GroupJudge, ScorerRef, Verdict } from "./verdict.ts";

const nothingKnown = {
  verdictId: null,
  status: "scored",
  rating: null,
  threshold: null,
  justification: null,
  skipCode: null,
  source: null,
  model: null,
  createdAt: null,
  traceId: null,
  sessionId: null,
} as const satisfies Partial<Verdict>;

const nobody: ScorerRef = { kind: "judge", name: null, settingsId: null, evaluatorId: null, version: null };

interface ResultRow {
  rating: number | null;
  justification: string | null;
  status: Verdict["status"];
  traceId: string | null;
  skipCode?: string | null;
  verdictId?: string | null;
  verdictSource?: Verdict["source"] | undefined;
  judgeScorerResults:
    | readonly {
        scorerId: string;
        name: string | null;
        rating: number | null;
        justification: string | null;
        status: Verdict["status"];
        skipCode?: string | null;
        verdictId?: string | null;
      }[]
    | null;
}

/** The scorers of a run that its results do not name. */
export interface RunGrading {
  datasetId: string;
  evaluationSettingsId: string | null;
  scorerGroupId: string | null;
  scorerBreakdown: readonly { scorerId: string; name: string | null; primary: boolean }[] | null;
  createdAt?: string | null;
}

/** The verdicts of a result row: the run's own first, with the key `primary`, then each further judge, with its id as the key. */
export function verdictsOfResult(row: ResultRow, run: RunGrading, threshold: number | null = null): Verdict[] {
  const shared = { ...nothingKnown, traceId: row.traceId, createdAt: run.createdAt ?? null };
  const primary: Verdict = {
    ...shared,
    key: "primary",
    verdictId: row.verdictId ?? null,
    scorer: primaryScorer(run),
    status: row.status,
    rating: row.rating,
    threshold,
    justification: row.justification,
    skipCode: row.skipCode ?? null,
    source: row.verdictSource ?? null,
  };
  const further = (row.judgeScorerResults ?? []).map(
    (said): Verdict => ({
      ...shared,
      key: said.scorerId,
      verdictId: said.verdictId ?? null,
      scorer: { ...nobody, name: said.name, settingsId: said.scorerId },
      status: said.status,
      rating: said.rating,
      justification: said.justification,
      skipCode: said.skipCode ?? null,
    }),
  );
  return [primary, ...further];
}

function primaryScorer(run: RunGrading): ScorerRef {
  const named = run.scorerBreakdown?.find(({ primary }) => primary)?.name ?? null;
  if (run.scorerGroupId !== null) return { ...nobody, kind: "group", name: named, evaluatorId: run.scorerGroupId };
  return { ...nobody, name: named, settingsId: run.evaluationSettingsId ?? run.datasetId };
}

interface JudgeScores {
  verdicts: readonly {
    scorerName: string;
    rating: number;
    threshold: number | null;
    isGroup?: true | undefined;
    evaluatorId?: string | null;
    scorerVersion?: number | null;
    verdictId?: string | null;
  }[];
}

/** The verdicts of a trace in a list, failing ones first; among these, the one furthest below its threshold first. */
export function verdictsOfTrace(trace: { _id: string; judgeScores: JudgeScores | null }): Verdict[] {
  const verdicts = (trace.judgeScores?.verdicts ?? []).map(
    (said, index): Verdict => ({
      ...nothingKnown,
      key: said.evaluatorId ?? `${index}`,
      verdictId: said.verdictId ?? null,
      scorer: {
        ...nobody,
        kind: said.isGroup ? "group" : "judge",
        name: said.scorerName,
        evaluatorId: said.evaluatorId ?? null,
        version: said.scorerVersion ?? null,
      },
      rating: said.rating,
      threshold: said.threshold,
      traceId: trace._id,
    }),
  );
  return verdicts.toSorted((left, right) => distance(left) - distance(right));
}

/** Negative for a failing verdict, else its rating. */
function distance({ rating, threshold }: Verdict): number {
  const from = rating ?? 0;
  return threshold !== null && from < threshold ? from - threshold : from;
}

interface Evaluation {
  id: string;
  kind: "judge" | "group";
  evaluatorId: string;
  evaluatorName: string;
  rating: number;
  justification: string | null;
  createdAt: string;
  threshold?: number | null;
  scorerVersion?: number | null;
  model?: string | null;
  verdictId?: string | null;
  judges?: readonly GroupJudge[] | null;
}

/**
 * The evaluations of a trace from `listTraceEvaluations`. The thresholds come from the trace itself, if given; they are found by
 * the scorer's name.
 */
export function verdictsOfEvaluations(
  evaluations: readonly Evaluation[],
  trace: { _id: string; judgeScores?: JudgeScores | null },
): Verdict[] {
  const thresholds = new Map(trace.judgeScores?.verdicts.map(({ scorerName, threshold }) => [scorerName, threshold]));
  return evaluations.map((said) => ({
    ...nothingKnown,
    key: said.id,
    verdictId: said.verdictId ?? null,
    judges: said.judges,
    scorer: {
      ...nobody,
      kind: said.kind,
      name: said.evaluatorName,
      evaluatorId: said.evaluatorId,
      version: said.scorerVersion ?? null,
    },
    rating: said.rating,
    threshold: said.threshold ?? thresholds.get(said.evaluatorName) ?? null,
    justification: said.justification,
    model: said.model ?? null,
    createdAt: said.createdAt,
    traceId: trace._id,
  }));
}

interface SignalOccurrence {
  id: string;
  traceId?: string | undefined;
  sessionId?: string | undefined;
  seenAt: string;
  rating?: number | undefined;
  justification?: string | undefined;
  verdictId?: string | undefined;
}

const livePrefixes = { judge: "online-eval:", group: "scorer-group:" } as const;

/** The scorer of a key such as `online-eval:<id>` or `scorer-group:<id>`; any other key is a name. */
function scorerOfKey(key: string): ScorerRef {
  for (const kind of ["judge", "group"] as const) {
    const prefix = livePrefixes[kind];
    if (key.startsWith(prefix)) return { ...nobody, kind, evaluatorId: key.slice(prefix.length) };
  }
  return { ...nobody, kind: "other", name: key };
}

/**
 * The verdict behind one occurrence of a signal; null if no scorer gave a rating, as for a pattern or a failed tool. A signal's
 * key names its scorer.
 */
export function verdictOfOccurrence(signal: { patternKey: string }, occurrence: SignalOccurrence): Verdict | null {
  if (occurrence.rating === undefined) return null;
  return {
    ...nothingKnown,
    key: occurrence.id,
    verdictId: occurrence.verdictId ?? null,
    scorer: scorerOfKey(signal.patternKey),
    rating: occurrence.rating,
    justification: occurrence.justification ?? null,
    createdAt: occurrence.seenAt,
    traceId: occurrence.traceId ?? null,
    sessionId: occurrence.sessionId ?? null,
  };
}

/** The scores of a session from `listSessionScores`. */
export function verdictsOfSession(
  scores: readonly {
    _id: string;
    sessionId: string;
    kind: string;
    rating: number | null;
    justification: string | null;
    judgeModel: string | null;
    scorerName?: string;
    threshold?: number | null;
    verdictId?: string | null;
    judges?: readonly GroupJudge[] | null;
    createdAt: string;
  }[],
): Verdict[] {
  return scores.map((said) => ({
    ...nothingKnown,
    key: said._id,
    verdictId: said.verdictId ?? null,
    judges: said.judges,
    scorer: { ...scorerOfKey(said.kind), ...(said.scorerName !== undefined && { name: said.scorerName }) },
    threshold: said.threshold ?? null,
    status: said.rating === null ? "skipped" : "scored",
    rating: said.rating,
    justification: said.justification,
    model: said.judgeModel,
    createdAt: said.createdAt,
    sessionId: said.sessionId,
  }));
}
