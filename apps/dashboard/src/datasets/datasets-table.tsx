import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { DatasetSummary } from "../blocks/dataset-summaries.ts";
import { useApi } from "../shell/session.tsx";
import { IconButton } from "../ui/button.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { countOf, formatCount } from "../ui/format.ts";
import { MoreIcon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import { Time } from "../ui/page.tsx";
import { DeleteDatasetDialog } from "./delete-dataset-dialog.tsx";

/** The datasets as rows, or as cards where the window is narrow. */
export function DatasetsTable({ datasets, onReachEnd }: { datasets: readonly DatasetSummary[]; onReachEnd(): void }) {
  const { projectId } = useApi();
  const navigate = useNavigate();
  const [activeKey, setActiveKey] = useState<string>();
  const open = ({ _id: datasetId }: DatasetSummary): void =>
    void navigate({ to: "/p/$projectId/datasets/$datasetId", params: { projectId, datasetId } });
  return (
    <DataTable
      label="Datasets"
      rows={datasets}
      columns={columns}
      rowKey={({ _id }) => _id}
      rowHeight={52}
      cardHeight={84}
      activeKey={activeKey}
      onActivate={({ _id }) => setActiveKey(_id)}
      onOpen={open}
      onReachEnd={onReachEnd}
      card={(dataset) => (
        <div className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <NameCell {...dataset} />
            <div className="text-xs text-faint">
              {countOf(dataset.caseCount, "case")} · version {dataset.version} · <LastRun {...dataset} />
            </div>
          </div>
          <RowMenu dataset={dataset} />
        </div>
      )}
    />
  );
}

const columns: readonly Column<DatasetSummary>[] = [
  { key: "name", header: "Dataset", width: "minmax(12rem, 1fr)", cell: (dataset) => <NameCell {...dataset} /> },
  { key: "cases", header: "Cases", width: "6rem", align: "right", cell: ({ caseCount }) => formatCount(caseCount) },
  { key: "version", header: "Version", width: "5rem", align: "right", cell: ({ version }) => version },
  {
    key: "changed",
    header: "Changed",
    width: "7rem",
    align: "right",
    cell: ({ updatedAt }) => <Time iso={updatedAt} isAge />,
  },
  {
    key: "run",
    header: "Last run",
    width: "7rem",
    align: "right",
    cell: (dataset) => <LastRun {...dataset} isShort />,
  },
  {
    key: "menu",
    header: <span className="sr-only">Acts</span>,
    width: "2.5rem",
    cell: (dataset) => <RowMenu dataset={dataset} />,
  },
];

function NameCell({ _id: datasetId, name, description }: DatasetSummary) {
  const { projectId } = useApi();
  return (
    <>
      <Link
        to="/p/$projectId/datasets/$datasetId"
        params={{ projectId, datasetId }}
        className="block truncate font-medium text-ink no-underline hover:text-accent"
      >
        {name}
      </Link>
      <div className="truncate text-soft">{description ?? <span className="text-faint">no description</span>}</div>
    </>
  );
}

/** When it was asked last, as the way to its runs. */
function LastRun({ _id: datasetId, lastRunAt, isShort }: DatasetSummary & { isShort?: boolean }) {
  const { projectId } = useApi();
  if (lastRunAt === null) return <span className="text-faint">{isShort ? "-" : "no run"}</span>;
  return (
    <Link
      to="/p/$projectId/datasets/$datasetId"
      params={{ projectId, datasetId }}
      search={{ tab: "runs" }}
      className="text-inherit no-underline hover:text-accent hover:underline"
    >
      {!isShort && "run "}
      <Time iso={lastRunAt} isAge />
    </Link>
  );
}

function RowMenu({ dataset }: { dataset: DatasetSummary }) {
  const [isDeleting, setDeleting] = useState(false);
  return (
    <>
      <Menu
        align="end"
        trigger={
          <IconButton label={`Acts on ${dataset.name}`}>
            <MoreIcon />
          </IconButton>
        }
        items={[{ label: "Delete", look: "danger", onChoose: () => setDeleting(true) }]}
      />
      <DeleteDatasetDialog dataset={dataset} isOpen={isDeleting} onClose={() => setDeleting(false)} />
    </>
  );
}
