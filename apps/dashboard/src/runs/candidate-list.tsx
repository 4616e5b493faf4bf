import { Link } from "@tanstack/react-router";
import { DifferenceInterval, VerdictWord } from "../blocks/paired-verdict.tsx";
import { explainPaired, formatP } from "../blocks/paired-words.ts";
import { useApi } from "../shell/session.tsx";
import { formatCount, formatDelta, formatRating } from "../ui/format.ts";
import { Panel } from "../ui/page.tsx";
import { ProblemLine, Skeleton } from "../ui/states.tsx";
import { CandidateForest, type CandidatesProps } from "./candidate-forest.tsx";
import type { Comparison } from "./compare-rows.ts";

/** The verdict on the candidate; several candidates are listed, and one of them is selected. */
export function CandidateList(props: CandidatesProps) {
  const chosen = props.comparisons[props.chosenIndex];
  if (chosen === undefined) return null;
  const { data, error } = chosen;
  return (
    <Panel className="p-3">
      {props.candidates.length > 1 && <CandidateForest {...props} />}
      {data !== undefined ? (
        props.candidates.length > 1 ? (
          <p className="m-0 border-t border-line px-1 pt-2 text-soft">
            <Facts comparison={data} />
          </p>
        ) : (
          <Verdict comparison={data} />
        )
      ) : error !== null ? (
        <ProblemLine problem={error} />
      ) : (
        <Skeleton rows={2} />
      )}
    </Panel>
  );
}

function Verdict({ comparison }: { comparison: Comparison }) {
  const { paired, baselineRun, candidateRun } = comparison;
  return (
    <div className="flex flex-wrap items-center gap-x-8 gap-y-3">
      <div className="min-w-40">
        <div className="text-base">
          <VerdictWord paired={paired} />
        </div>
        <div className="text-soft tabular-nums">
          <RunLink run={baselineRun} /> → <RunLink run={candidateRun} />
        </div>
      </div>
      <div>
        <div className="text-xs text-faint">Mean difference</div>
        <div className="text-xl font-semibold tabular-nums">{formatDelta(paired.difference, 2)}</div>
      </div>
      <div className="min-w-56 flex-1">
        <DifferenceInterval paired={paired} className="w-full max-w-96" />
        <div className="relative flex max-w-96 justify-between text-xs text-soft tabular-nums">
          <span>worse</span>
          <span className="absolute left-1/2 -translate-x-1/2">0</span>
          <span>better</span>
        </div>
      </div>
      <div className="max-w-96 min-w-60 flex-1 text-soft">
        <Facts comparison={comparison} />
      </div>
    </div>
  );
}

function Facts({ comparison: { paired } }: { comparison: Comparison }) {
  return (
    <>
      {explainPaired(paired)}
      <span className="block text-xs text-faint tabular-nums">
        {formatCount(paired.cases)} paired cases, {formatP(paired.pValue)}, least effect {paired.minEffect}
      </span>
    </>
  );
}

function RunLink({ run }: { run: Comparison["baselineRun"] }) {
  const { projectId } = useApi();
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
