import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import { useApi } from "../shell/session.tsx";
import { IconButton } from "../ui/button.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { unknown } from "../ui/format.ts";
import { EditIcon } from "../ui/icons.tsx";
import { Badge } from "../ui/page.tsx";
import { EmptyState } from "../ui/states.tsx";
import { nameMembers } from "./group-members.ts";
import { describeGroupLive } from "./judge-list.ts";
import type { Group, Judge } from "./queries.ts";
import { RecentRatings } from "./recent-ratings.tsx";

/** Scorer groups: a group's rating is the weighted mean of its members. */
export function GroupTable({
  groups,
  judges,
  isNarrow,
  emptyActions,
  onEdit,
}: {
  groups: readonly Group[];
  judges: readonly Judge[];
  /** A panel is open beside the table. */
  isNarrow: boolean;
  emptyActions: ReactNode;
  onEdit(id: string): void;
}) {
  const { projectId } = useApi();
  const navigate = useNavigate();
  const [active, setActive] = useState<string>();
  const columns = useMemo(() => groupColumns(projectId, judges, onEdit), [projectId, judges, onEdit]);
  if (groups.length === 0) {
    return (
      <EmptyState title="No groups" actions={emptyActions}>
        A group makes one rating of several judges, patterns and custom scorers: their weighted mean, or 0 where one
        that must pass does not.
      </EmptyState>
    );
  }
  return (
    <DataTable
      label="Groups"
      rows={groups}
      columns={isNarrow ? columns.slice(0, 2) : columns}
      rowKey={({ _id }) => _id}
      activeKey={active}
      onActivate={({ _id }) => setActive(_id)}
      onOpen={({ _id }) => void navigate({ to: "/p/$projectId/judges/$judgeId", params: { projectId, judgeId: _id } })}
      rowHeight={48}
      cardHeight={84}
      card={(group) => (
        <div className="flex flex-col gap-1">
          <Name group={group} projectId={projectId} />
          <Members group={group} judges={judges} />
        </div>
      )}
    />
  );
}

function groupColumns(projectId: string, judges: readonly Judge[], onEdit: (id: string) => void): Column<Group>[] {
  return [
    {
      key: "name",
      header: "Group",
      width: "minmax(14rem, 2fr)",
      cell: (group) => <Name group={group} projectId={projectId} />,
    },
    {
      key: "members",
      header: "Members and their weight",
      width: "minmax(14rem, 3fr)",
      cell: (group) => <Members group={group} judges={judges} />,
    },
    {
      key: "rates",
      header: "Live traffic",
      width: "12rem",
      cell: ({ online }) => <span className={online?.enabled ? "" : "text-faint"}>{describeGroupLive(online)}</span>,
    },
    {
      key: "ratings",
      header: "Mean and ratings, 7 days",
      width: "10rem",
      cell: ({ _id, online }) =>
        online === null ? (
          <span className="text-faint">{unknown}</span>
        ) : (
          <RecentRatings evaluatorId={_id} judgeId={_id} window="7d" />
        ),
    },
    {
      key: "edit",
      header: <span className="sr-only">Edit</span>,
      width: "2.5rem",
      cell: ({ _id, name }) => (
        <IconButton label={`Edit ${name}`} onClick={() => onEdit(_id)}>
          <EditIcon />
        </IconButton>
      ),
    },
  ];
}

function Name({ group, projectId }: { group: Group; projectId: string }) {
  return (
    <div className="min-w-0">
      <Link
        to="/p/$projectId/judges/$judgeId"
        params={{ projectId, judgeId: group._id }}
        className="block truncate font-medium text-ink hover:text-accent"
      >
        {group.name}
      </Link>
      <div className="truncate text-xs text-faint">{group.description}</div>
    </div>
  );
}

function Members({ group, judges }: { group: Group; judges: readonly Judge[] }) {
  return (
    <span className="flex flex-wrap gap-1.5 overflow-hidden">
      {nameMembers(group.members, judges).map(({ refId, name, role }) => (
        <Badge key={refId} title={role}>
          {name} <span className="text-faint">{role}</span>
        </Badge>
      ))}
    </span>
  );
}
