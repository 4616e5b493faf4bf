import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { calibrationQuery } from "../blocks/why-queries.ts";
import { useApi } from "../shell/session.tsx";
import { classNames } from "../ui/class-names.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { unknown } from "../ui/format.ts";
import { Badge } from "../ui/page.tsx";
import { describeLive, orderJudges } from "./judge-list.ts";
import { Kappa } from "./kappa.tsx";
import type { Judge } from "./queries.ts";
import { RecentRatings } from "./recent-ratings.tsx";
import { currentOf, versionsOf } from "./trust.ts";

/** All judges with their live traffic and their agreement with people. */
export function JudgeTable({ judges }: { judges: readonly Judge[] }) {
  const { projectId } = useApi();
  const navigate = useNavigate();
  const [active, setActive] = useState<string>();
  const rows = useMemo(() => orderJudges(judges), [judges]);
  const columns = useMemo(() => judgeColumns(projectId), [projectId]);
  return (
    <DataTable
      label="Judges"
      rows={rows}
      columns={columns}
      rowKey={({ _id }) => _id}
      activeKey={active}
      onActivate={({ _id }) => setActive(_id)}
      onOpen={({ _id }) => void navigate({ to: "/p/$projectId/judges/$judgeId", params: { projectId, judgeId: _id } })}
      rowHeight={48}
      cardHeight={104}
      card={(judge) => (
        <div className="flex flex-col gap-1">
          <Name judge={judge} projectId={projectId} />
          <Rates judge={judge} />
          <Trusted judge={judge} />
        </div>
      )}
    />
  );
}

function judgeColumns(projectId: string): Column<Judge>[] {
  return [
    {
      key: "name",
      header: "Judge",
      width: "minmax(14rem, 3fr)",
      cell: (judge) => <Name judge={judge} projectId={projectId} />,
    },
    { key: "rates", header: "Live traffic", width: "minmax(10rem, 2fr)", cell: (judge) => <Rates judge={judge} /> },
    {
      key: "ratings",
      header: "Mean and ratings, 7 days",
      width: "10rem",
      cell: ({ _id, online }) =>
        online === null ? (
          <span className="text-faint">{unknown}</span>
        ) : (
          <RecentRatings evaluatorId={online.profileId} judgeId={_id} window="7d" />
        ),
    },
    {
      key: "kappa",
      header: "Agreement with people (kappa, 95%)",
      width: "15rem",
      cell: (judge) => <Trusted judge={judge} />,
    },
    { key: "versions", header: "Version", width: "4rem", align: "right", cell: ({ version }) => version },
  ];
}

function Name({ judge, projectId }: { judge: Judge; projectId: string }) {
  return (
    <div className="min-w-0">
      <div className="flex items-center gap-2">
        <Link
          to="/p/$projectId/judges/$judgeId"
          params={{ projectId, judgeId: judge._id }}
          className="truncate font-medium text-ink hover:text-accent"
        >
          {judge.name}
        </Link>
        {judge.seeded && <Badge>built-in</Badge>}
      </div>
      <div className="truncate text-xs text-faint">{judge.description}</div>
    </div>
  );
}

function Rates({ judge: { online } }: { judge: Judge }) {
  return (
    <span className="flex min-w-0 items-center gap-2">
      <span className={classNames("truncate", !online?.enabled && "text-faint")}>{describeLive(online)}</span>
      {online !== null && !online.enabled && <Badge>paused</Badge>}
    </span>
  );
}

function Trusted({ judge }: { judge: Judge }) {
  const api = useApi();
  const calibration = useQuery(calibrationQuery(api)).data;
  if (judge.online === null || calibration === undefined) return <span className="text-faint">{unknown}</span>;
  if (judge.online.scope === "session") {
    return (
      <span className="text-faint" title="People vote on traces, this judge rates sessions.">
        rates sessions
      </span>
    );
  }
  const versions = versionsOf(calibration.scorers, `online-eval:${judge.online.profileId}`);
  return (
    <Link
      to="/p/$projectId/judges/$judgeId/agreement"
      params={{ projectId: api.projectId, judgeId: judge._id }}
      className="text-ink hover:text-accent"
    >
      <Kappa agreement={currentOf(versions, judge.version)} minPairs={calibration.minPairs} />
    </Link>
  );
}
