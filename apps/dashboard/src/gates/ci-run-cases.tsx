import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useApi } from "../shell/session.tsx";
import { countOf } from "../ui/format.ts";
import { Badge, Section } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { Loaded } from "../ui/states.tsx";
import { type FailingCase, failingCases, missText } from "./failing-cases.ts";
import { type CiRun, runQuery } from "./queries.ts";

/** The cases that failed, worst first, each with the way to its result. */
export function CiRunCases({ ciRun }: { ciRun: CiRun }) {
  const run = useQuery(runQuery(useApi(), ciRun.run_id));
  if (ciRun.violations === null) {
    return <p className="m-0 text-soft">The failing cases are listed when the CI run is finalized.</p>;
  }
  const { violations } = ciRun;
  return (
    <Loaded query={run}>
      {({ results }) => {
        const failing = failingCases(violations, results);
        return (
          <Section title={failing.length === 0 ? "No failing case" : countOf(failing.length, "failing case")}>
            <ul className="m-0 list-none p-0">
              {failing.map((found) => (
                <li key={found.index} className="border-b border-line">
                  <CaseLink found={found} runId={ciRun.run_id} />
                </li>
              ))}
            </ul>
          </Section>
        );
      }}
    </Loaded>
  );
}

function CaseLink({ found, runId }: { found: FailingCase; runId: string }) {
  const { projectId } = useApi();
  const { index, question, misses, result } = found;
  const rated = misses.find(({ metric }) => metric === "rating");
  return (
    <Link
      to="/p/$projectId/runs/$runId"
      params={{ projectId, runId }}
      search={{ case: String(index) }}
      className="grid min-h-11 grid-cols-[2rem_4rem_1fr] items-baseline gap-x-3 py-2 text-ink no-underline hover:bg-hover"
    >
      <span className="text-faint tabular-nums">{index}</span>
      {result?.error ? (
        <span>
          <Badge look="bad">error</Badge>
        </span>
      ) : (
        <Score rating={result?.rating ?? null} threshold={rated?.threshold ?? null} scorer="rating" />
      )}
      <span className="min-w-0">
        <span className="block truncate">{question ?? "-"}</span>
        <span className="line-clamp-2 text-soft">
          {[...misses.map(missText), result?.error?.message ?? result?.justification].filter(Boolean).join(" ")}
        </span>
      </span>
    </Link>
  );
}
