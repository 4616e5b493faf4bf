interface CompletedRun {
  _id: string;
  datasetId: string;
  averageRating: number | null;
}

/** A run, and its change from the newest completed run of its dataset before it. */
export interface ChangedRun<Run> {
  run: Run;
  /** Null if none of the listed runs is earlier and of the same dataset. */
  baselineId: string | null;
  /** The mean rating minus that of the baseline; null if either is unknown. */
  delta: number | null;
}

/** The first `most` of some completed runs, newest first, each with its change. The others are only baselines. */
export function runChanges<Run extends CompletedRun>(runs: readonly Run[], most: number): ChangedRun<Run>[] {
  return runs.slice(0, most).map((run, index) => {
    const baseline = runs.slice(index + 1).find(({ datasetId }) => datasetId === run.datasetId);
    const before = baseline?.averageRating ?? null;
    return {
      run,
      baselineId: baseline?._id ?? null,
      delta: run.averageRating === null || before === null ? null : run.averageRating - before,
    };
  });
}
