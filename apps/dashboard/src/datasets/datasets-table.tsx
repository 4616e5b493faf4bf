import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useApi } from "../shell/session.tsx";
import { IconButton } from "../ui/button.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { countOf, formatCount } from "../ui/format.ts";
import { MoreIcon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import { Time } from "../ui/page.tsx";
import { DeleteDatasetDialog } from "./delete-dataset-dialog.tsx";
import type { ListedDataset } from "./queries.ts";

/** The datasets as rows, or as cards where the window is narrow. */
export function DatasetsTable({ datasets }: { datasets: readonly ListedDataset[] }) {
  const { projectId } = useApi();
  const navigate = useNavigate();
  const [activeKey, setActiveKey] = useState<string>();
  const open = ({ _id: datasetId }: ListedDataset): void =>
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
      card={(dataset) => (
        <div className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <NameCell {...dataset} />
            <div className="text-xs text-faint">
              {countOf(dataset.caseCount, "case")} · {countOf(dataset.versions, "version")} · created{" "}
              <Time iso={dataset.createdAt} isAge />
            </div>
          </div>
          <RowMenu dataset={dataset} />
        </div>
      )}
    />
  );
}

const columns: readonly Column<ListedDataset>[] = [
  { key: "name", header: "Dataset", width: "minmax(12rem, 1fr)", cell: (dataset) => <NameCell {...dataset} /> },
  { key: "cases", header: "Cases", width: "6rem", align: "right", cell: ({ caseCount }) => formatCount(caseCount) },
  { key: "versions", header: "Versions", width: "6rem", align: "right", cell: ({ versions }) => formatCount(versions) },
  {
    key: "created",
    header: "Created",
    width: "8rem",
    align: "right",
    cell: ({ createdAt }) => <Time iso={createdAt} isAge />,
  },
  {
    key: "menu",
    header: <span className="sr-only">Acts</span>,
    width: "2.5rem",
    cell: (dataset) => <RowMenu dataset={dataset} />,
  },
];

function NameCell({ _id: datasetId, name, description }: ListedDataset) {
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

function RowMenu({ dataset }: { dataset: ListedDataset }) {
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
