import type { EvaluationCase } from "../grading/cases.ts";
import type { GradedRun, Gradings } from "./gradings.ts";
import type { RunRatings } from "./run-ratings.ts";

/** Where a case of one run is among the cases of another, by question index. */
export type PlaceOf = (questionIndex: number) => number;

type Question = Pick<EvaluationCase, "query" | "followUps">;

const keyOf = ({ query, followUps }: Question): string => JSON.stringify([query, ...followUps]);

/**
 * Finds the cases of one version of a dataset in another by their questions; of equal questions the first is the first. Cases
 * that only the one version has follow after all of the other's.
 */
export function alignCases(from: readonly Question[], to: readonly Question[]): PlaceOf {
  const indexes = new Map<string, number[]>();
  for (const [index, question] of [...to.entries()].reverse()) {
    const key = keyOf(question);
    const equal = indexes.get(key);
    if (equal === undefined) indexes.set(key, [index]);
    else equal.push(index);
  }
  let following = to.length;
  const places = from.map((question) => indexes.get(keyOf(question))?.pop() ?? following++);
  return (questionIndex) => places[questionIndex] ?? following + questionIndex - places.length;
}

/** Null: both runs are of the same version of the dataset, or one has none. */
export async function readPlaces(
  gradings: Pick<Gradings, "ofDataset">,
  projectId: string,
  [from, to]: readonly [CasesOfRun, CasesOfRun],
): Promise<PlaceOf | null> {
  if (from.datasetVersion === null || to.datasetVersion === null || from.datasetVersion === to.datasetVersion) {
    return null;
  }
  const [before, after] = await Promise.all([
    gradings.ofDataset(projectId, from.datasetId, from.datasetVersion),
    gradings.ofDataset(projectId, to.datasetId, to.datasetVersion),
  ]);
  return alignCases(before.cases, after.cases);
}

type CasesOfRun = Pick<GradedRun, "datasetId" | "datasetVersion">;

/** The same ratings by the question indexes of another run. */
export function alignRatings(ratings: RunRatings, placeOf: PlaceOf | null): RunRatings {
  if (placeOf === null) return ratings;
  const caseRatings = new Map([...ratings.caseRatings].map(([index, rating]) => [placeOf(index), rating]));
  return { ...ratings, caseRatings };
}
