import { Link } from "@tanstack/react-router";
import { RunStatus } from "../blocks/run-status.tsx";
import { readSubject, subjectLabel } from "../blocks/run-subject.ts";
import { useApi } from "../shell/session.tsx";
import { Badge, Time } from "../ui/page.tsx";
import type { Run } from "./case-rows.ts";
import { RunJudge } from "./run-judge.tsx";

/** `Refund policy v3 › refund-agent 1.4.0`; the first is a link to the dataset. */
export function RunHeading({ run }: { run: Run }) {
  const { projectId } = useApi();
  return (
    <>
      <Link
        to="/p/$projectId/datasets/$datasetId"
        params={{ projectId, datasetId: run.datasetId }}
        className="font-normal text-soft no-underline hover:text-accent"
      >
        {run.datasetName ?? "Deleted dataset"}
        {run.datasetVersion !== null && <span className="ml-1.5 text-sm text-faint">v{run.datasetVersion}</span>}
      </Link>
      <span aria-hidden className="mx-2 font-normal text-faint">
        ›
      </span>
      {subjectLabel(readSubject(run.evaluationSubject)) ?? "Run"}
    </>
  );
}

const modes = {
  live: null,
  cache: "verdicts from the record where there are any",
  replay: "replayed: verdicts from the record only",
} as const;

/** One line with the status of the run, its source, and its judge. */
export function RunOrigin({ run }: { run: Run }) {
  const { branch, commit } = readSubject(run.evaluationSubject);
  const mode = modes[run.verdictMode];
  return (
    <>
      <RunStatus status={run.status} />
      {run.runSource === "external" && run.liveStatistics.ratedCount === 0 ? (
        <Badge title="No judge has rated a result of it yet">scored by the client</Badge>
      ) : (
        <RunJudge run={run} />
      )}
      {branch !== null && (
        <span>
          {branch}
          {commit !== null && <span className="ml-1.5 font-mono text-xs">{commit}</span>}
        </span>
      )}
      <span>
        {run.runSource}, <Time iso={run.createdAt} />
      </span>
      {mode !== null && <Badge title={mode}>{run.verdictMode === "replay" ? "replayed" : "cached verdicts"}</Badge>}
      {run.scoringRevision > 0 && (
        <Badge title="Skipped results were judged again">rescored {run.scoringRevision}x</Badge>
      )}
    </>
  );
}
