/** One external evaluation of a span of a trace. */
export interface ExternalEvaluation {
  spanId: string;
  score: number | null;
  label: string | null;
  explanation: string | null;
}

/** The verdict of the evaluations of one name on a trace as a whole. */
export interface ExternalVerdict {
  /** 0 to 10. */
  rating: number;
  justification: string;
}

/**
 * The rating of a score, 0 to 10. External scales are unknown: a score on 0..1 counts as a share and is multiplied by ten; for
 * any other score the result is null.
 */
export function ratingOfScore(score: number | null): number | null {
  if (score === null || !(score >= 0 && score <= 1)) return null;
  // Rounds off binary fractions: 0.7 is 7.
  return Math.round(score * 1e7) / 1e6;
}

/**
 * The verdict of evaluations of one name on a trace: the worst rating, since a trace is as good as its weakest span; of equal
 * ratings the first. Score and label are in the justification as they were sent. Null: none can be rated.
 */
export function verdictOfEvaluations(evaluations: readonly ExternalEvaluation[]): ExternalVerdict | null {
  const rated = evaluations.flatMap((evaluation) => {
    const rating = ratingOfScore(evaluation.score);
    return rating === null ? [] : [{ rating, evaluation }];
  });
  const [first, ...others] = rated;
  if (first === undefined) return null;
  const { rating, evaluation } = others.reduce((worst, each) => (each.rating < worst.rating ? each : worst), first);
  return { rating, justification: justify(evaluation) };
}

function justify({ score, label, explanation }: ExternalEvaluation): string {
  const head = label === null ? `Score ${score}.` : `Score ${score}, "${label}".`;
  return explanation === null ? head : `${head} ${explanation}`;
}
