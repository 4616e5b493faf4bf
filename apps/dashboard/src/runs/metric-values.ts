import type { ResultRow, Run } from "./case-rows.ts";

type Metric = Pick<Run["metrics"][number], "kind" | "name">;

/** A metric of a run in the URL. */
export const metricKey = ({ kind, name }: Metric): string => `${kind} ${name}`;

/** The similarity metrics that were asked for, by their names in the figures of a run; null where one was not computed. */
export function similaritiesOf(result: ResultRow): { name: string; value: number | null }[] {
  const all = [
    { name: "Vector similarity", value: result.vectorSimilarity },
    { name: "Jaccard", value: result.jaccardSimilarity },
    { name: "BLEU", value: result.bleuScore },
    { name: "ROUGE-L", value: result.rougeScore },
  ];
  return all.flatMap(({ name, value }) => (value === undefined ? [] : [{ name, value }]));
}

/** The mean of a metric over the results of a case, variants left out as in the figure of the run; null if computed nowhere. */
export function metricOfCase(results: readonly ResultRow[], { kind, name }: Metric): number | null {
  const values = results
    .filter(({ isSmokeTestVariant }) => !isSmokeTestVariant)
    .flatMap((result) =>
      kind === "similarity"
        ? similaritiesOf(result)
        : (result.codeScorerResults ?? []).map((given) => ({ name: given.name, value: given.score })),
    )
    .flatMap((given) => (given.name === name && given.value !== null ? [given.value] : []));
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}
