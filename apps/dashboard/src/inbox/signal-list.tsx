import { type Column, DataTable } from "../ui/data-table.tsx";
import { formatCount } from "../ui/format.ts";
import { Badge, Time } from "../ui/page.tsx";
import type { ListedSignal } from "./queries.ts";
import { SeverityBadge } from "./severity-badge.tsx";

/** Signals, last seen first; `j` and `k` move between them. */
export function SignalList({
  signals,
  chosen,
  onChoose,
  onReachEnd,
}: {
  signals: readonly ListedSignal[];
  chosen: string | undefined;
  onChoose(id: string): void;
  onReachEnd(): void;
}) {
  return (
    <DataTable
      label="Signals"
      rows={signals}
      columns={columns}
      rowKey={({ _id }) => _id}
      activeKey={chosen}
      onActivate={({ _id }) => onChoose(_id)}
      isSelected={({ _id }) => _id === chosen}
      rowHeight={56}
      cardHeight={64}
      onReachEnd={onReachEnd}
      card={(signal) => (
        <div className="flex flex-col gap-1">
          <div className="flex items-center gap-2">
            <SeverityBadge severity={signal.severity} />
            <span className="min-w-0 flex-1 truncate font-medium">{signal.summary}</span>
          </div>
          <div className="flex items-center gap-2 text-soft">
            <Detail signal={signal} />
            <span className="ml-auto text-xs whitespace-nowrap text-soft tabular-nums">
              {formatCount(signal.occurrenceCount)}x · <Time iso={signal.lastSeenAt} isAge />
            </span>
          </div>
        </div>
      )}
    />
  );
}

const columns: readonly Column<ListedSignal>[] = [
  {
    key: "severity",
    header: "Severity",
    width: "4.5rem",
    cell: ({ severity }) => <SeverityBadge severity={severity} />,
  },
  {
    key: "signal",
    header: "Signal",
    width: "minmax(8rem, 1fr)",
    cell: (signal) => (
      <>
        <div className="truncate font-medium" title={signal.summary}>
          {signal.summary}
        </div>
        <div className="flex min-w-0 items-center gap-2 text-soft">
          <Detail signal={signal} />
        </div>
      </>
    ),
  },
  {
    key: "seen",
    header: "Last seen",
    width: "5rem",
    align: "right",
    cell: ({ occurrenceCount, lastSeenAt }) => (
      <>
        <div>
          <Time iso={lastSeenAt} isAge />
        </div>
        <div className="text-soft">{formatCount(occurrenceCount)}x</div>
      </>
    ),
  },
];

function Detail({ signal }: { signal: ListedSignal }) {
  const { agentId, rootCause, status, evidence } = signal;
  const shown = rootCause ?? queryOf(evidence);
  return (
    <>
      {status === "reopened" && <Badge look="warn">came back</Badge>}
      <span className="truncate">{[agentId?.name, shown].filter(Boolean).join(": ") || "no agent"}</span>
    </>
  );
}

function queryOf(evidence: ListedSignal["evidence"]): string | undefined {
  const { query } = (evidence ?? {}) as { query?: unknown };
  return typeof query === "string" ? query : undefined;
}
