import { Link } from "@tanstack/react-router";
import { GateVerdict, RunStatus } from "../blocks/run-status.tsx";
import { readSubject, subjectLabel } from "../blocks/run-subject.ts";
import type { Column } from "../ui/data-table.tsx";
import { countOf, formatCount, formatRating } from "../ui/format.ts";
import { Interval } from "../ui/interval.tsx";
import { Time } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import type { ListedRun } from "./queries.ts";

/** A run with further data from the list. */
export interface RunRow extends ListedRun {
  gate: { passed: boolean; checks: readonly { detail: string; passed: boolean }[] } | undefined;
}

/** The actions of a row. */
export interface RunActs {
  projectId: string;
  isSelected(id: string): boolean;
  onToggle(id: string): void;
}

/** The columns of the list of runs; memoize them by the actions. */
export function runColumns(acts: RunActs): Column<RunRow>[] {
  return [
    {
      key: "select",
      header: <span className="sr-only">Select</span>,
      width: "1.25rem",
      cell: (run) => <Select run={run} {...acts} />,
    },
    {
      key: "run",
      header: "Run",
      width: "minmax(11rem, 2fr)",
      cell: (run) => <RunLink run={run} projectId={acts.projectId} />,
    },
    { key: "status", header: "Status", width: "6.5rem", cell: ({ status }) => <RunStatus status={status} /> },
    {
      key: "dataset",
      header: "Dataset",
      width: "minmax(8rem, 1.2fr)",
      cell: (run) => <DatasetLink run={run} projectId={acts.projectId} />,
    },
    {
      key: "rating",
      header: "Rating",
      width: "9.5rem",
      cell: (run) => <Rating run={run} />,
    },
    { key: "results", header: "Results", width: "minmax(8rem, 10rem)", cell: (run) => <Counts run={run} /> },
    { key: "gate", header: "Gate", width: "6rem", cell: ({ gate }) => <GateVerdict gate={gate} /> },
    {
      key: "source",
      header: "Source",
      width: "5rem",
      cell: ({ runSource }) => <span className="text-soft">{runSource}</span>,
    },
    {
      key: "created",
      header: "Created",
      width: "7rem",
      align: "right",
      cell: ({ createdAt }) => <Time iso={createdAt} />,
    },
  ];
}

/** A run in a narrow window. */
export function RunCard({ run, ...acts }: { run: RunRow } & RunActs) {
  return (
    <div className="flex items-start gap-3">
      <Select run={run} {...acts} />
      <div className="min-w-0 flex-1">
        <div className="flex items-center gap-2">
          <span className="min-w-0 flex-1 truncate">
            <RunLink run={run} projectId={acts.projectId} />
          </span>
          <Rating run={run} />
        </div>
        <div className="mt-1 flex items-center gap-2 text-xs text-soft">
          <RunStatus status={run.status} />
          <span className="min-w-0 flex-1 truncate">{run.datasetName ?? "deleted"}</span>
          <Time iso={run.createdAt} isAge />
        </div>
        <div className="mt-1 flex items-center gap-3 text-xs text-soft">
          <span>
            <Counts run={run} /> {run.resultCount === 1 ? "result" : "results"}
          </span>
          {run.gate !== undefined && <GateVerdict gate={run.gate} />}
        </div>
      </div>
    </div>
  );
}

function Select({ run, isSelected, onToggle }: { run: RunRow } & RunActs) {
  const name = subjectLabel(readSubject(run.evaluationSubject)) ?? run._id;
  return (
    <label className="flex h-full items-center max-md:-m-3 max-md:p-3">
      <input
        type="checkbox"
        aria-label={`Select the run of ${name}, ${run.createdAt}`}
        checked={isSelected(run._id)}
        onChange={() => onToggle(run._id)}
        className="size-4 accent-accent"
      />
    </label>
  );
}

function RunLink({ run, projectId }: { run: RunRow; projectId: string }) {
  const subject = readSubject(run.evaluationSubject);
  return (
    <>
      <Link
        to="/p/$projectId/runs/$runId"
        params={{ projectId, runId: run._id }}
        className="font-medium text-ink no-underline hover:text-accent"
      >
        {subjectLabel(subject) ?? <span className="font-mono text-xs">{run._id.slice(0, 13)}</span>}
      </Link>
      {subject.branch !== null && (
        <span className="ml-2 text-soft">
          {subject.branch}
          {subject.commit !== null && <span className="font-mono text-xs"> {subject.commit}</span>}
        </span>
      )}
    </>
  );
}

function DatasetLink({ run, projectId }: { run: RunRow; projectId: string }) {
  return (
    <Link
      to="/p/$projectId/datasets/$datasetId"
      params={{ projectId, datasetId: run.datasetId }}
      className="text-ink no-underline hover:text-accent"
    >
      {run.datasetName ?? "deleted"}
    </Link>
  );
}

/** The mean rating, with its interval on the full scale. */
function Rating({ run: { averageRating, ratingInterval } }: { run: RunRow }) {
  const words =
    ratingInterval === null
      ? "No interval below two rated cases"
      : `${formatRating(ratingInterval.low)} to ${formatRating(ratingInterval.high)} (${Math.round(ratingInterval.level * 100)}%, ${countOf(ratingInterval.cases, "case")})`;
  return (
    <span className="inline-flex items-center gap-2.5" title={words}>
      <span className="w-9">
        <Score rating={averageRating} scorer="mean rating" />
      </span>
      <Interval interval={ratingInterval} centre={averageRating} domain={[0, 10]} label={words} className="w-20!" />
    </span>
  );
}

/** The number of results, and how many of them are not rated. */
function Counts({ run }: { run: RunRow }) {
  const { failedCount, skippedCount } = run.liveStatistics;
  const isExternal = run.runSource === "external";
  return (
    <span className="tabular-nums">
      {formatCount(run.resultCount)}
      {failedCount > 0 && <span className="text-bad"> · {formatCount(failedCount)} failed</span>}
      {skippedCount > 0 && (
        <span
          className={isExternal ? "text-soft" : "text-warn"}
          title={isExternal ? "Scored by the client; rescore the run to have them judged" : undefined}
        >
          {" "}
          · {formatCount(skippedCount)} {isExternal ? "not judged" : "skipped"}
        </span>
      )}
    </span>
  );
}
