import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useApi } from "../shell/session.tsx";
import { Delta } from "../ui/delta.tsx";
import { FiguresTable } from "../ui/figures-table.tsx";
import { formatCount } from "../ui/format.ts";
import { Section, Time } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { agentVersionsQuery } from "./queries.ts";

const shownMost = 5;
const columns = ["Version", "Runs", "Rated results", "Mean rating", "vs previous", "Last run"] as const;

/** The agent's versions that were run on a dataset, the latest first, each compared with the one before. Nothing for a single one. */
export function AgentVersions({ datasetId }: { datasetId: string }) {
  const api = useApi();
  const { projectId } = api;
  const versions = useQuery(agentVersionsQuery(api, datasetId)).data?.versions ?? [];
  if (versions.length < 2) return null;
  return (
    <div className="px-4 pt-4 pb-6 md:px-6">
      <Section title="Versions of the agent" aside="means of all their completed runs">
        <FiguresTable name="Versions of the agent" columns={columns} className="min-w-140">
          {versions
            .slice(0, shownMost)
            .map(({ version, runCount, ratedCount, averageRating, lastRunAt, latestRunId }, index) => {
              const previous = version === unversioned ? undefined : versions.slice(index + 1).find(isVersion);
              return (
                <tr key={version}>
                  <td>
                    <Link
                      to="/p/$projectId/runs/$runId"
                      params={{ projectId, runId: latestRunId }}
                      title="The last run of this version"
                      className="text-ink hover:text-accent"
                    >
                      {version}
                    </Link>
                  </td>
                  <td>
                    <Link
                      to="/p/$projectId/runs"
                      params={{ projectId }}
                      search={{ dataset: datasetId, version, status: "completed", judged: true }}
                      className="text-ink hover:text-accent"
                    >
                      {formatCount(runCount)}
                    </Link>
                  </td>
                  <td>{formatCount(ratedCount)}</td>
                  <td>
                    <Score rating={averageRating} scorer={`mean of ${formatCount(ratedCount)} results`} />
                  </td>
                  <td>
                    {previous === undefined ? (
                      <span className="text-faint">{version === unversioned ? "-" : "first"}</span>
                    ) : (
                      <Link
                        to="/p/$projectId/runs/compare"
                        params={{ projectId }}
                        search={{ baseline: previous.latestRunId, candidate: [latestRunId] }}
                        title="Compare the last runs of the two versions"
                      >
                        <Delta value={differenceOf(averageRating, previous.averageRating)} />
                      </Link>
                    )}
                  </td>
                  <td className="text-faint">
                    <Time iso={lastRunAt} isAge />
                  </td>
                </tr>
              );
            })}
        </FiguresTable>
      </Section>
    </div>
  );
}

/** The API's name for runs that state no version. */
const unversioned = "(unversioned)";
const isVersion = ({ version }: { version: string }): boolean => version !== unversioned;

const differenceOf = (rating: number | null, before: number | null): number | null =>
  rating === null || before === null ? null : rating - before;
