import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { verdictsOfResult } from "../blocks/verdict-sources.ts";
import { WhyPanel } from "../blocks/why-panel.tsx";
import { useApi } from "../shell/session.tsx";
import { countOf } from "../ui/format.ts";
import { Badge, Section } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { Loaded } from "../ui/states.tsx";
import { type CiCase, failingCases, missedThreshold, missText, passedCases } from "./ci-cases.ts";
import { type CiRun, runQuery } from "./queries.ts";

const route = getRouteApi("/p/$projectId/gates/ci/$ciRunId");

/** The cases that failed, worst first, or those that passed: each with its result and the explanation of its rating. */
export function CiRunCases({ ciRun }: { ciRun: CiRun }) {
  // Read when the CI run has ended: before, results are still added.
  const run = useQuery({ ...runQuery(useApi(), ciRun.run_id), enabled: ciRun.violations !== null });
  const { show, why } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/gates/ci/$ciRunId" });
  const explain = (index: number | undefined): void => void navigate({ search: (now) => ({ ...now, why: index }) });
  if (ciRun.violations === null) {
    return <p className="m-0 text-soft">The failing cases are listed when the CI run is finalized.</p>;
  }
  const { violations } = ciRun;
  return (
    <Loaded query={run}>
      {(data) => {
        const failing = failingCases(violations, data.results);
        const passed = passedCases(violations, data.results);
        const kind = show === "passed" ? "passing case" : "failing case";
        const listed = show === "passed" ? passed : failing;
        const explained = listed.find(({ index, result }) => index === why && result !== undefined);
        return (
          <div className="flex min-w-0">
            <Section
              title={listed.length === 0 ? `No ${kind}` : countOf(listed.length, kind)}
              actions={<OtherCases show={show} count={show === "passed" ? failing.length : passed.length} />}
              className="flex-1"
            >
              <ul className="m-0 list-none p-0">
                {listed.map((found) => (
                  <li key={found.index} className="grid grid-cols-[5rem_1fr] items-baseline border-b border-line">
                    <CaseRating found={found} onWhy={() => explain(found.index)} />
                    <CaseLink found={found} runId={ciRun.run_id} />
                  </li>
                ))}
              </ul>
            </Section>
            {explained?.result !== undefined && (
              <WhyPanel
                key={explained.index}
                verdicts={verdictsOfResult(explained.result, data, missedThreshold(explained))}
                onClose={() => explain(undefined)}
              />
            )}
          </div>
        );
      }}
    </Loaded>
  );
}

/** The way to the cases that are not listed. */
function OtherCases({ show, count }: { show: "passed" | undefined; count: number }) {
  if (count === 0) return null;
  const isPassedShown = show === "passed";
  return (
    <Link
      from="/p/$projectId/gates/ci/$ciRunId"
      to="."
      search={isPassedShown ? {} : { show: "passed" }}
      className="text-accent"
    >
      {countOf(count, isPassedShown ? "failing case" : "passing case")}
    </Link>
  );
}

function CaseLink({ found, runId }: { found: CiCase; runId: string }) {
  const { projectId } = useApi();
  const { index, question, misses, result } = found;
  return (
    <Link
      to="/p/$projectId/runs/$runId"
      params={{ projectId, runId }}
      search={{ case: String(index) }}
      className="grid min-h-11 grid-cols-[2rem_1fr] items-baseline gap-x-3 py-2 text-ink no-underline hover:bg-hover"
    >
      <span className="text-faint tabular-nums">{index}</span>
      <span className="min-w-0">
        <span className="block truncate">{question ?? "-"}</span>
        <span className="line-clamp-2 text-soft">
          {[...misses.map(missText), result?.error?.message ?? result?.justification].filter(Boolean).join(" ")}
        </span>
      </span>
    </Link>
  );
}

function CaseRating({ found, onWhy }: { found: CiCase; onWhy(): void }) {
  const { result } = found;
  if (result?.error) {
    return (
      <span>
        <Badge look="bad">error</Badge>
      </span>
    );
  }
  const shown = { rating: result?.rating ?? null, threshold: missedThreshold(found), scorer: `case ${found.index}` };
  return (
    <span>
      <Score {...shown} onWhy={result && onWhy} />
    </span>
  );
}
