/**
 * The scorer behind a rating. Only some of its ids are known: a result names the judge scorer, a trace's evaluation names the
 * online evaluator, a trace in a list only its name. `rubric.ts` finds the rubric by any of them.
 */
export interface ScorerRef {
  kind: "judge" | "group" | "code" | "other";
  name: string | null;
  /** The id of the judge scorer, or of the dataset whose criteria are the rubric. */
  settingsId: string | null;
  /** The id of the online evaluator (its `profileId`), or of the live group. */
  evaluatorId: string | null;
  /** Null where none was recorded. */
  version: number | null;
}

/** The rating of one judge of a group. Null means no rating, or no record of its prompt. */
export interface GroupJudge {
  scorerId: string;
  name: string | null;
  rating: number | null;
  verdictId: string | null;
}

/**
 * One rating and its known origin. Build it with the functions of `verdict-sources.ts`; `null` is unknown or absent.
 */
export interface Verdict {
  /** Identifies a verdict of one trace or result; may be used in a URL. */
  key: string;
  /** For `GET /verdicts/{id}`, which returns prompt and reply; null if nothing was recorded. */
  verdictId: string | null;
  scorer: ScorerRef;
  /** For a live group, if known. */
  judges?: readonly GroupJudge[] | null | undefined;
  status: "scored" | "skipped" | "failed";
  /** 0 to 10; null exactly when skipped. */
  rating: number | null;
  /** The rating fails below it. */
  threshold: number | null;
  justification: string | null;
  /** The skip code: `no_key`, `timeout`, ... */
  skipCode: string | null;
  /** Made by a new call, or read from the record. */
  source: "live" | "cache" | "replay" | null;
  model: string | null;
  createdAt: string | null;
  /** Required for a vote: people judge traces. */
  traceId: string | null;
  sessionId: string | null;
}

/** Whether it passes its threshold; null without a threshold or rating. A rating equal to the threshold passes. */
export function passes({ rating, threshold }: Pick<Verdict, "rating" | "threshold">): boolean | null {
  return rating === null || threshold === null ? null : rating >= threshold;
}

/** The vote on the trace that agreement with the verdict implies; null if the verdict is neutral. */
export function voteFor(verdict: Pick<Verdict, "rating" | "threshold">, agrees: boolean): "up" | "down" | null {
  const isGood = passes(verdict);
  if (isGood === null) return null;
  return isGood === agrees ? "up" : "down";
}

const skipSentences: Readonly<Record<string, string>> = {
  no_key: "No key for the judge's model is stored.",
  no_judge: "No judge could be asked.",
  no_reference: "The judge needs an expected result, and the case has none.",
  quota: "The day's quota of judge calls was used up.",
  timeout: "The judge did not answer in time.",
  provider_error: "The provider of the model failed.",
  unparseable: "The judge's reply had no rating in it.",
  too_large: "The case is too large for the judge.",
  replay_miss: "The run replays stored verdicts, and there was none for this case.",
  gate_unrated: "A must-pass member of the group gave no rating.",
  no_score: "No member of the group gave a rating.",
  run_finalized: "The run ended before this was judged.",
  no_scorer: "The scorers of the group could not be asked.",
  scored_by_client: "The client scored this itself. No judge was asked yet.",
  awaiting_output: "The client scores this itself, and the trace with its output has not arrived yet.",
};

/** The description of a skip code; an unknown code is returned unchanged. */
export function skipSentence(code: string): string {
  return skipSentences[code] ?? code;
}
