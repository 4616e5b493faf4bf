/**
 * What gave a rating. Only some of its ids are known: a result names the judge scorer, a trace's evaluation names the
 * online evaluator, a trace in a list only its name. `rubric.ts` finds the rubric by any of them.
 */
export interface ScorerRef {
  kind: "judge" | "group" | "code" | "other";
  name: string | null;
  /** The judge scorer's, or the dataset's whose criteria are the rubric. */
  settingsId: string | null;
  /** The online evaluator's (its `profileId`), or the live group's. */
  evaluatorId: string | null;
  /** Null where none was recorded. */
  version: number | null;
}

/** The rating of one judge of a group; null: no rating, or no record of its prompt. */
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
  /** Of `GET /verdicts/{id}`, which has prompt and reply; null where nothing was recorded. */
  verdictId: string | null;
  scorer: ScorerRef;
  /** Of a live group, where they are known. */
  judges?: readonly GroupJudge[] | null | undefined;
  status: "scored" | "skipped" | "failed";
  /** 0 to 10; null exactly when skipped. */
  rating: number | null;
  /** Below it the rating fails. */
  threshold: number | null;
  justification: string | null;
  /** `no_key`, `timeout`, ...: why nothing was rated. */
  skipCode: string | null;
  /** A new call, or the record. */
  source: "live" | "cache" | "replay" | null;
  model: string | null;
  createdAt: string | null;
  /** A vote needs one: people judge traces. */
  traceId: string | null;
  sessionId: string | null;
}

/** Whether it passes its threshold; null where there is none or nothing was rated. Exactly at the threshold passes. */
export function passes({ rating, threshold }: Pick<Verdict, "rating" | "threshold">): boolean | null {
  return rating === null || threshold === null ? null : rating >= threshold;
}

/** The vote on the trace that agreeing with the verdict means; null where the verdict takes no side. */
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
};

/** A skip code in words; the code itself where it is a new one. */
export function skipSentence(code: string): string {
  return skipSentences[code] ?? code;
}
