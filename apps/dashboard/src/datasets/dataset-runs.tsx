import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { RunStatus } from "../blocks/run-status.tsx";
import { readSubject, subjectLabel } from "../blocks/run-subject.ts";
import { useApi } from "../shell/session.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { formatCount } from "../ui/format.ts";
import { Time } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { type DatasetRun, datasetRunsQuery } from "./queries.ts";

/** The runs that asked a dataset, newest first. */
export function DatasetRuns({ datasetId }: { datasetId: string }) {
  const api = useApi();
  const { projectId } = api;
  const navigate = useNavigate();
  const runs = useInfiniteQuery(datasetRunsQuery(api, datasetId));
  const rows = useMemo(() => runs.data?.pages.flatMap((page) => page.runs) ?? [], [runs.data]);
  const [active, setActive] = useState<string>();
  const columns = useMemo(() => runColumns(projectId), [projectId]);
  return (
    <Loaded query={runs}>
      {() =>
        rows.length === 0 ? (
          <EmptyState
            title="No run yet"
            actions={
              <ButtonLink to="/p/$projectId/runs" params={{ projectId }} look="primary">
                How to start one
              </ButtonLink>
            }
          >
            A run asks your agent each case and grades what it answers. Its dataset is <code>{datasetId}</code>.
          </EmptyState>
        ) : (
          <DataTable
            label="Runs"
            rows={rows}
            columns={columns}
            rowKey={({ _id }) => _id}
            rowHeight={36}
            cardHeight={60}
            activeKey={active}
            onActivate={({ _id }) => setActive(_id)}
            onOpen={({ _id: runId }) =>
              void navigate({ to: "/p/$projectId/runs/$runId", params: { projectId, runId } })
            }
            card={(run) => <Card run={run} projectId={projectId} />}
            onReachEnd={() => {
              if (runs.hasNextPage && !runs.isFetchingNextPage) void runs.fetchNextPage();
            }}
          />
        )
      }
    </Loaded>
  );
}

const runColumns = (projectId: string): readonly Column<DatasetRun>[] => [
  { key: "run", header: "Run", width: "minmax(10rem, 2fr)", cell: (run) => <Name run={run} projectId={projectId} /> },
  { key: "status", header: "Status", width: "6.5rem", cell: ({ status }) => <RunStatus status={status} /> },
  {
    key: "rating",
    header: "Rating",
    width: "5rem",
    cell: ({ averageRating }) => <Score rating={averageRating} scorer="mean rating" />,
  },
  {
    key: "results",
    header: "Results",
    width: "5rem",
    align: "right",
    cell: ({ resultCount }) => formatCount(resultCount),
  },
  {
    key: "failed",
    header: "Failed",
    width: "5rem",
    align: "right",
    cell: ({ _id: runId, liveStatistics: { failedCount } }) =>
      failedCount === 0 ? (
        formatCount(failedCount)
      ) : (
        <Link
          to="/p/$projectId/runs/$runId"
          params={{ projectId, runId }}
          search={{ status: "failed" }}
          className="text-ink hover:text-accent"
        >
          {formatCount(failedCount)}
        </Link>
      ),
  },
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

function Name({ run, projectId }: { run: DatasetRun; projectId: string }) {
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
          {subject.branch} {subject.commit !== null && <code>{subject.commit}</code>}
        </span>
      )}
    </>
  );
}

function Card({ run, projectId }: { run: DatasetRun; projectId: string }) {
  return (
    <>
      <div className="flex gap-2">
        <span className="min-w-0 flex-1 truncate">
          <Name run={run} projectId={projectId} />
        </span>
        <Score rating={run.averageRating} scorer="mean rating" />
      </div>
      <div className="flex gap-2 text-xs text-soft">
        <RunStatus status={run.status} />
        <span className="flex-1">{formatCount(run.resultCount)} results</span>
        <Time iso={run.createdAt} isAge />
      </div>
    </>
  );
}
