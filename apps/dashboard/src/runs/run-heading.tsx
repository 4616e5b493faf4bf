import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { RunStatus } from "../blocks/run-status.tsx";
import { readSubject, subjectLabel } from "../blocks/run-subject.ts";
import { useApi } from "../shell/session.tsx";
import { Badge, Time } from "../ui/page.tsx";
import type { Run } from "./case-rows.ts";
import { datasetQuery } from "./queries.ts";

/** `Refund policy › refund-agent 1.4.0`, the first a link to the dataset. */
export function RunHeading({ run }: { run: Run }) {
  const api = useApi();
  const dataset = useQuery(datasetQuery(api, run.datasetId));
  return (
    <>
      <Link
        to="/p/$projectId/datasets/$datasetId"
        params={{ projectId: api.projectId, datasetId: run.datasetId }}
        className="font-normal text-soft no-underline hover:text-accent"
      >
        {dataset.data?.name ?? "Dataset"}
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

/** In a line: how the run is, what made it, and how it was judged. */
export function RunOrigin({ run }: { run: Run }) {
  const { branch, commit } = readSubject(run.evaluationSubject);
  const mode = modes[run.verdictMode];
  return (
    <>
      <RunStatus status={run.status} />
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
