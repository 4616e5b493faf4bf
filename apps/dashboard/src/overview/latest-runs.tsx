import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { readSubject, subjectLabel } from "../blocks/run-subject.ts";
import { useApi } from "../shell/session.tsx";
import { Delta } from "../ui/delta.tsx";
import { FiguresTable } from "../ui/figures-table.tsx";
import { Section, Time } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { Loaded } from "../ui/states.tsx";
import { completedRunsQuery } from "./queries.ts";
import { runChanges } from "./run-changes.ts";

const shownMost = 5;
const columns = ["Run", "Dataset", "Mean rating", "vs last", "Created"] as const;

/** The latest completed runs, each with its change from the run before it of the same dataset. Nothing without runs. */
export function LatestRuns() {
  const { projectId } = useApi();
  const runs = useQuery(completedRunsQuery(useApi()));
  if (runs.data?.runs.length === 0) return null;
  return (
    <Section
      title="Latest runs"
      aside="each compared with the run of its dataset before it"
      actions={
        <Link to="/p/$projectId/runs" params={{ projectId }} className="text-accent">
          All runs
        </Link>
      }
    >
      <Loaded query={runs}>
        {(page) => (
          <FiguresTable name="Latest runs" columns={columns} className="min-w-140">
            {runChanges(page.runs, shownMost).map(({ run, baselineId, delta }) => (
              <tr key={run._id}>
                <td>
                  <Link
                    to="/p/$projectId/runs/$runId"
                    params={{ projectId, runId: run._id }}
                    className="text-ink hover:text-accent"
                  >
                    {subjectLabel(readSubject(run.evaluationSubject)) ?? run._id}
                  </Link>
                </td>
                <td>{run.datasetName ?? <span className="text-faint">deleted</span>}</td>
                <td>
                  <Score rating={run.averageRating} scorer="mean rating" />
                </td>
                <td>
                  {baselineId === null ? (
                    <span className="text-faint">first</span>
                  ) : (
                    <Link
                      to="/p/$projectId/runs/compare"
                      params={{ projectId }}
                      search={{ baseline: baselineId, candidate: [run._id] }}
                      title="Compare the two runs"
                    >
                      <Delta value={delta} />
                    </Link>
                  )}
                </td>
                <td className="text-faint">
                  <Time iso={run.createdAt} isAge />
                </td>
              </tr>
            ))}
          </FiguresTable>
        )}
      </Loaded>
    </Section>
  );
}
