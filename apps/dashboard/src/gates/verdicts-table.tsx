import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useApi } from "../shell/session.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Time } from "../ui/page.tsx";
import { Outcome } from "./outcome.tsx";
import { VerdictLink } from "./verdict-link.tsx";
import { datasetName, type Verdict } from "./verdicts.ts";

type Names = ReadonlyMap<string, string> | undefined;

/** Verdicts as rows; each opens its run. */
export function VerdictsTable({
  verdicts,
  names,
  isCompact,
  onReachEnd,
}: {
  verdicts: readonly Verdict[];
  names: Names;
  onReachEnd(): void;
  /** There is content beside the table. */
  isCompact: boolean;
}) {
  const { projectId } = useApi();
  const navigate = useNavigate();
  const [active, setActive] = useState<string>();
  const columns = useMemo(() => verdictColumns(names, isCompact), [names, isCompact]);
  return (
    <DataTable
      label="Verdicts"
      rows={verdicts}
      columns={columns}
      rowKey={({ key }) => key}
      rowHeight={36}
      cardHeight={88}
      activeKey={active}
      onReachEnd={onReachEnd}
      onActivate={({ key }) => setActive(key)}
      onOpen={({ isCiRun, runId }) =>
        void (isCiRun
          ? navigate({ to: "/p/$projectId/gates/ci/$ciRunId", params: { projectId, ciRunId: runId } })
          : navigate({ to: "/p/$projectId/runs/$runId", params: { projectId, runId } }))
      }
      card={(verdict) => <Card verdict={verdict} names={names} />}
    />
  );
}

function verdictColumns(names: Names, isCompact: boolean): readonly Column<Verdict>[] {
  const main: Column<Verdict>[] = [
    {
      key: "verdict",
      header: "Verdict",
      width: "5.5rem",
      cell: (verdict) => (
        <VerdictLink verdict={verdict} className="no-underline hover:underline">
          <Outcome outcome={verdict.outcome} />
        </VerdictLink>
      ),
    },
    {
      key: "dataset",
      header: "Dataset",
      width: "minmax(7rem, 1fr)",
      cell: ({ datasetId }) =>
        names === undefined ? null : (names.get(datasetId) ?? <span className="text-faint">deleted</span>),
    },
    { key: "branch", header: "Branch", width: "minmax(7rem, 1.2fr)", cell: ({ branch }) => branch ?? <Nothing /> },
    {
      key: "commit",
      header: "Commit",
      width: "4.5rem",
      cell: ({ commit }) => (commit === null ? <Nothing /> : <code>{commit}</code>),
    },
  ];
  const more: Column<Verdict>[] = [
    {
      key: "reason",
      header: "What decided",
      width: "minmax(12rem, 4fr)",
      cell: ({ reason }) => (
        <span title={reason} className="text-soft">
          {reason}
        </span>
      ),
    },
    {
      key: "caller",
      header: "Asked by",
      width: "minmax(6rem, 1.2fr)",
      cell: ({ caller }) => <span className="text-soft">{caller ?? <Nothing />}</span>,
    },
  ];
  const when: Column<Verdict> = {
    key: "when",
    header: "When",
    width: "7rem",
    align: "right",
    cell: ({ createdAt }) => <Time iso={createdAt} />,
  };
  return isCompact ? [...main, when] : [...main, ...more, when];
}

function Card({ verdict, names }: { verdict: Verdict; names: Names }) {
  return (
    <>
      <div className="flex gap-3">
        <span className="min-w-0 flex-1 truncate">{datasetName(names, verdict.datasetId)}</span>
        <Outcome outcome={verdict.outcome} />
      </div>
      <div className="truncate text-soft">{verdict.reason}</div>
      <div className="flex gap-3 text-xs text-faint">
        <span className="min-w-0 truncate">
          {verdict.branch} <code>{verdict.commit}</code>
        </span>
        <span className="ml-auto">
          <Time iso={verdict.createdAt} isAge />
        </span>
      </div>
    </>
  );
}

function Nothing() {
  return <span className="text-faint">-</span>;
}
