import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { scorerGroupsQuery } from "../blocks/why-queries.ts";
import { useApi } from "../shell/session.tsx";
import { formatRating } from "../ui/format.ts";
import { Badge, Section, Time } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { NotRead } from "../ui/states.tsx";
import { describeLive } from "./judge-list.ts";
import { agentNamesQuery, type Judge, recentRunsQuery } from "./queries.ts";
import { runsOfJudge } from "./runs-of-judge.ts";

/** The uses of a judge: live traffic, groups, and the newest runs. */
export function UsedIn({ judge }: { judge: Judge }) {
  const api = useApi();
  const { projectId } = api;
  const groups = useQuery(scorerGroupsQuery(api));
  const using = groups.data?.filter(({ members }) => members.some(({ refId }) => refId === judge._id));
  const runs = useQuery(recentRunsQuery(api));
  const graded = runs.data && runsOfJudge(judge._id, runs.data.runs);
  return (
    <Section title="Where it is used">
      <dl className="m-0 grid grid-cols-[5.5rem_minmax(0,1fr)] gap-x-3 gap-y-2.5">
        <Row label="Live">
          <Live judge={judge} />
        </Row>
        <Row label="Groups">
          {using === undefined ? (
            <NotRead query={groups} />
          ) : using.length === 0 ? (
            "none"
          ) : (
            using.map(({ _id, name }) => (
              <Link
                key={_id}
                to="/p/$projectId/judges/$judgeId"
                params={{ projectId, judgeId: _id }}
                className="mr-3 text-accent"
              >
                {name}
              </Link>
            ))
          )}
        </Row>
        <Row label="Runs">
          {graded === undefined ? (
            <NotRead query={runs} />
          ) : graded.length === 0 ? (
            "none of the newest 50"
          ) : (
            <ul className="m-0 list-none p-0">
              {graded.slice(0, 8).map((run) => (
                <li key={run.runId} className="flex items-center gap-3 border-b border-line py-1 last:border-b-0">
                  <Score rating={run.rating} scorer={judge.name} />
                  <Link
                    to="/p/$projectId/runs/$runId"
                    params={{ projectId, runId: run.runId }}
                    className="min-w-0 flex-1 truncate text-ink hover:text-accent"
                  >
                    {run.name}
                  </Link>
                  {run.isPrimary && <Badge>main judge</Badge>}
                  <span className="text-faint">
                    <Time iso={run.createdAt} isAge />
                  </span>
                </li>
              ))}
            </ul>
          )}
        </Row>
      </dl>
    </Section>
  );
}

function Live({ judge: { online } }: { judge: Judge }) {
  const api = useApi();
  const names = useQuery({ ...agentNamesQuery(api), enabled: online?.scopeMode === "selected" }).data;
  if (online === null) return "no";
  return (
    <div className="flex flex-col gap-0.5">
      <span>
        {describeLive(online)}
        {!online.enabled && <span className="text-faint">, paused</span>}
      </span>
      {online.scopeMode === "selected" && (
        <span className="text-soft">{online.agentIds.map((id) => names?.get(id) ?? id).join(", ")}</span>
      )}
      <span className="text-soft">
        {online.alertThreshold === null
          ? "never signals"
          : `signals below ${formatRating(online.alertThreshold)}, severity ${online.severity}`}
      </span>
    </div>
  );
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-faint">{label}</dt>
      <dd className="m-0 min-w-0">{children}</dd>
    </>
  );
}
