interface Run {
  runId: string;
  evaluationSettingsId: string | null;
  additionalScorerIds: readonly string[] | null;
  scorerBreakdown: readonly { scorerId: string; primary: boolean; averageRating: number | null }[] | null;
  averageRating: number | null;
  evaluationSubject?: Readonly<Record<string, unknown>> | null;
  createdAt: string;
}

/** The runs that a judge graded, with its mean rating; null if the run does not distinguish its judges. */
export function runsOfJudge(judgeId: string, runs: readonly Run[]) {
  return runs.flatMap((run) => {
    const isPrimary = run.evaluationSettingsId === judgeId;
    const row = run.scorerBreakdown?.find(({ scorerId }) => scorerId === judgeId);
    if (!isPrimary && row === undefined && !run.additionalScorerIds?.includes(judgeId)) return [];
    const name = run.evaluationSubject?.displayName;
    return [
      {
        runId: run.runId,
        name: typeof name === "string" && name !== "" ? name : "Run",
        isPrimary,
        rating: row?.averageRating ?? (isPrimary ? run.averageRating : null),
        createdAt: run.createdAt,
      },
    ];
  });
}
