import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { DifferenceInterval, VerdictWord } from "../blocks/paired-verdict.tsx";
import { explainPaired, formatP } from "../blocks/paired-words.ts";
import { useApi } from "../shell/session.tsx";
import { classNames } from "../ui/class-names.ts";
import { formatCount, formatDelta, formatRating } from "../ui/format.ts";
import { ProblemLine, Skeleton } from "../ui/states.tsx";
import type { Comparison } from "./compare-rows.ts";

/** The verdict on each candidate. Of several one is looked at; its cases are listed below. */
export function CandidateList({
  candidates,
  comparisons,
  chosenIndex,
  onChoose,
}: {
  candidates: readonly string[];
  comparisons: readonly UseQueryResult<Comparison>[];
  chosenIndex: number;
  onChoose(id: string): void;
}) {
  return (
    <ul aria-label="Verdicts" className="m-0 flex list-none flex-col gap-2 p-0">
      {candidates.map((id, index) => {
        const { data, error } = comparisons[index] as UseQueryResult<Comparison>;
        const isChosen = index === chosenIndex;
        return (
          <li
            key={id}
            className={classNames(
              "rounded-md border p-3",
              isChosen && candidates.length > 1 ? "border-accent" : "border-line",
            )}
          >
            {data !== undefined ? (
              <Verdict
                comparison={data}
                {...(candidates.length > 1 && { choice: { isChosen, onChoose: () => onChoose(id) } })}
              />
            ) : error !== null ? (
              <ProblemLine problem={error} />
            ) : (
              <Skeleton rows={2} />
            )}
          </li>
        );
      })}
    </ul>
  );
}

function Verdict({
  comparison: { paired, baselineRun, candidateRun },
  choice,
}: {
  comparison: Comparison;
  choice?: { isChosen: boolean; onChoose(): void };
}) {
  const { projectId } = useApi();
  return (
    <div className="flex flex-wrap items-center gap-x-8 gap-y-3">
      <div className="min-w-40">
        <div className="text-base">
          <VerdictWord paired={paired} />
        </div>
        <div className="text-soft tabular-nums">
          <RunLink run={baselineRun} projectId={projectId} /> → <RunLink run={candidateRun} projectId={projectId} />
        </div>
      </div>
      <div>
        <div className="text-xs text-faint">Mean difference</div>
        <div className="text-xl font-semibold tabular-nums">{formatDelta(paired.difference, 2)}</div>
      </div>
      <div className="min-w-56 flex-1">
        <DifferenceInterval paired={paired} className="w-full max-w-96" />
        <div className="flex max-w-96 justify-between text-xs text-soft tabular-nums">
          <span>worse</span>
          <span>0</span>
          <span>better</span>
        </div>
      </div>
      <div className="max-w-96 min-w-60 flex-1 text-soft">
        {explainPaired(paired)}
        <div className="text-xs text-faint tabular-nums">
          {formatCount(paired.cases)} paired cases, {formatP(paired.pValue)}, least effect {paired.minEffect}
        </div>
      </div>
      {choice !== undefined && (
        <button
          type="button"
          aria-pressed={choice.isChosen}
          onClick={choice.onChoose}
          className={classNames(
            "h-8 rounded-sm border px-3 max-md:h-11",
            choice.isChosen ? "border-accent bg-chosen" : "border-line hover:bg-hover",
          )}
        >
          {choice.isChosen ? "Cases below" : "Show its cases"}
        </button>
      )}
    </div>
  );
}

function RunLink({ run, projectId }: { run: Comparison["baselineRun"]; projectId: string }) {
  return (
    <Link
      to="/p/$projectId/runs/$runId"
      params={{ projectId, runId: run.runId }}
      className="text-ink no-underline hover:text-accent"
    >
      {run.version ?? `run ${run.runId.slice(0, 8)}`}{" "}
      <strong className="font-semibold">{formatRating(run.averageRating)}</strong>
    </Link>
  );
}
