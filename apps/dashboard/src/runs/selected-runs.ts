/** A run that can be selected for a comparison. */
interface Choosable {
  _id: string;
  datasetId: string;
}

/** The selection with a run added or removed, in the order of selection; undefined when it becomes empty. */
export function toggleRun(selected: readonly string[], id: string): string[] | undefined {
  const next = selected.includes(id) ? selected.filter((other) => other !== id) : [...selected, id];
  return next.length > 0 ? next : undefined;
}

export interface Comparable {
  /** The oldest of the selected runs. */
  baseline: string;
  /** The others, newest first. */
  candidates: string[];
}

/**
 * The meaning of a comparison of the chosen runs, or why they cannot be compared. `runs` are those of the list; a chosen run
 * that is not among them is assumed to be valid. Ids of runs begin with their time.
 */
export function comparisonOf(selected: readonly string[], runs: readonly Choosable[]): Comparable | string {
  if (selected.length < 2) return "Select two runs or more of one dataset.";
  const datasets = new Set(runs.filter(({ _id }) => selected.includes(_id)).map(({ datasetId }) => datasetId));
  if (datasets.size > 1) return "These runs are of different datasets. Only runs of one dataset have cases in common.";
  const newestFirst = selected.toSorted().toReversed();
  return { baseline: newestFirst.at(-1) as string, candidates: newestFirst.slice(0, -1) };
}

/** A comparison as the address of its page has it. */
export interface ComparedRuns {
  baseline: string;
  candidate: string[];
}

/** Compares another run in the place of one. If both are compared, they change places. */
export function replaceRun({ baseline, candidate }: ComparedRuns, replaced: string, chosen: string): ComparedRuns {
  const next = (id: string): string => (id === replaced ? chosen : id === chosen ? replaced : id);
  return { baseline: next(baseline), candidate: candidate.map(next) };
}

/** The two newest runs of each dataset with at least two, in the order of the list; the older one is the baseline. */
export function newestPairs<Run extends Choosable>(runs: readonly Run[]): { baseline: Run; candidate: Run }[] {
  return [...Map.groupBy(runs, ({ datasetId }) => datasetId).values()].flatMap(([candidate, baseline]) =>
    candidate === undefined || baseline === undefined ? [] : [{ baseline, candidate }],
  );
}
