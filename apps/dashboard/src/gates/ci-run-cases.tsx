import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useApi } from "../shell/session.tsx";
import { countOf, formatRating } from "../ui/format.ts";
import { Badge, Section } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { Loaded } from "../ui/states.tsx";
import { type CiRun, datasetQuery, runQuery } from "./queries.ts";

/** Without a setting of the dataset a case passes from here. */
const defaultThreshold = 5;

/** The cases that failed, worst first, each with the way to its result. */
export function CiRunCases({ ciRun }: { ciRun: CiRun }) {
  const api = useApi();
  const run = useQuery(runQuery(api, ciRun.run_id));
  const dataset = useQuery(datasetQuery(api, ciRun.dataset_id));
  const threshold = dataset.data?.ci?.ratingThreshold ?? defaultThreshold;
  return (
    <Loaded query={run}>
      {({ results }) => {
        const failing = results
          .filter(({ rating }) => rating === null || rating < threshold)
          .sort((one, other) => (one.rating ?? -1) - (other.rating ?? -1));
        return (
          <Section
            title={failing.length === 0 ? "No failing case" : countOf(failing.length, "failing case")}
            aside={`a case passes from ${formatRating(threshold)}`}
          >
            <ul className="m-0 list-none p-0">
              {failing.map((row) => (
                <li key={row.questionIndex} className="border-b border-line">
                  <Link
                    to="/p/$projectId/runs/$runId"
                    params={{ projectId: api.projectId, runId: ciRun.run_id }}
                    search={{ case: String(row.questionIndex) }}
                    className="grid min-h-11 grid-cols-[2rem_4rem_1fr] items-baseline gap-x-3 py-2 text-ink no-underline hover:bg-hover"
                  >
                    <span className="text-faint tabular-nums">{row.questionIndex}</span>
                    {row.error === null ? (
                      <Score rating={row.rating} threshold={threshold} scorer="rating" />
                    ) : (
                      <span>
                        <Badge look="bad">error</Badge>
                      </span>
                    )}
                    <span className="min-w-0">
                      <span className="block truncate">{row.questionText ?? row.input?.query ?? "-"}</span>
                      <span className="line-clamp-2 text-soft">
                        {row.error?.message ?? row.justification ?? "no justification"}
                      </span>
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          </Section>
        );
      }}
    </Loaded>
  );
}
