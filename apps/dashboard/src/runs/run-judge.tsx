import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { judgeScorersQuery, settingsVersionsQuery } from "../blocks/why-queries.ts";
import { useApi } from "../shell/session.tsx";
import type { Run } from "./case-rows.ts";
import { judgeVersionOf } from "./run-label.ts";

/** The origin of the run's ratings: a judge and its version at the time, a group, or the criteria of the dataset. */
export function RunJudge({ run }: { run: Run }) {
  const api = useApi();
  const settingsId = run.evaluationSettingsId;
  const name = useQuery({ ...judgeScorersQuery(api), enabled: settingsId !== null }).data?.find(
    ({ _id }) => _id === settingsId,
  )?.name;
  const versions = useQuery({ ...settingsVersionsQuery(api, settingsId ?? ""), enabled: settingsId !== null }).data;
  if (run.scorerGroupId !== null) {
    return <span>judged by {run.scorerBreakdown?.find(({ primary }) => primary)?.name ?? "a scorer group"}</span>;
  }
  if (settingsId === null) return <span>judged by the dataset's criteria</span>;
  if (name === undefined) return null;
  const version = judgeVersionOf(run, versions ?? []);
  return (
    <span>
      judge{" "}
      <Link
        to="/p/$projectId/judges/$judgeId"
        params={{ projectId: api.projectId, judgeId: settingsId }}
        className="text-ink no-underline hover:text-accent"
      >
        {name}
      </Link>
      {version !== undefined && ` v${version}`}
    </span>
  );
}
