import type { UseQueryResult } from "@tanstack/react-query";
import { DifferenceInterval, VerdictWord } from "../blocks/paired-verdict.tsx";
import { differenceDomain, formatP } from "../blocks/paired-words.ts";
import { classNames } from "../ui/class-names.ts";
import { formatDelta, formatRating } from "../ui/format.ts";
import { ProblemLine, Skeleton } from "../ui/states.tsx";
import type { Comparison } from "./compare-rows.ts";

export interface CandidatesProps {
  candidates: readonly string[];
  comparisons: readonly UseQueryResult<Comparison>[];
  chosenIndex: number;
  onChoose(id: string): void;
}

/** The columns of a row in a wide window: candidate, verdict, interval, mean, and p-value. */
const columns =
  "grid items-center gap-x-4 gap-y-1 grid-cols-[minmax(0,1fr)_auto] lg:grid-cols-[minmax(5rem,9rem)_7rem_minmax(8rem,1fr)_3.5rem_4.5rem]";

/** Several candidates against one baseline on one axis. A row is a button that lists its cases below. */
export function CandidateForest({ candidates, comparisons, chosenIndex, onChoose }: CandidatesProps) {
  const reach = Math.max(
    ...comparisons.flatMap(({ data }) => (data === undefined ? [] : differenceDomain(data.paired)[1])),
  );
  return (
    <>
      <div className={classNames(columns, "px-3 pb-1 text-xs text-faint max-lg:hidden")}>
        <span>Candidate</span>
        <span>Verdict</span>
        <span className="relative flex justify-between">
          <span>worse</span>
          <span className="absolute left-1/2 -translate-x-1/2">0</span>
          <span>better</span>
        </span>
        <span className="text-right">Mean</span>
        <span className="text-right">Chance</span>
      </div>
      <ul aria-label="Verdicts" className="m-0 flex list-none flex-col gap-1 p-0 pb-2">
        {candidates.map((id, index) => {
          const comparison = comparisons[index];
          return (
            <li key={id}>
              {comparison?.data !== undefined ? (
                <button
                  type="button"
                  aria-pressed={index === chosenIndex}
                  title={index === chosenIndex ? "Its cases are listed below" : "List its cases below"}
                  onClick={() => onChoose(id)}
                  className={classNames(
                    columns,
                    "w-full rounded-sm border px-3 py-1.5 text-left tabular-nums",
                    index === chosenIndex ? "border-accent bg-chosen" : "border-transparent hover:bg-hover",
                  )}
                >
                  <Row comparison={comparison.data} domain={[-reach, reach]} />
                </button>
              ) : comparison?.error ? (
                <ProblemLine problem={comparison.error} />
              ) : (
                <Skeleton rows={1} />
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}

function Row({ comparison, domain }: { comparison: Comparison; domain: readonly [number, number] }) {
  const { paired, candidateRun } = comparison;
  return (
    <>
      <span className="truncate">
        {candidateRun.version ?? `run ${candidateRun.runId.slice(0, 8)}`}{" "}
        <strong className="font-semibold">{formatRating(candidateRun.averageRating)}</strong>
      </span>
      <VerdictWord paired={paired} />
      <DifferenceInterval paired={paired} domain={domain} className="w-full!" />
      <span className="text-right">{formatDelta(paired.difference, 2)}</span>
      <span className="text-right text-soft max-lg:hidden">{formatP(paired.pValue)}</span>
    </>
  );
}
