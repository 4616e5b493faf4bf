import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { readSubject } from "../blocks/run-subject.ts";
import { useApi } from "../shell/session.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { countOf, formatCount, formatExactShare, unknown } from "../ui/format.ts";
import { Page, Stat, Time } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { CiRunCases } from "./ci-run-cases.tsx";
import { GitContext } from "./git-context.tsx";
import { Outcome } from "./outcome.tsx";
import { type CiRun, ciRunQuery, ciRunsBeforeQuery, datasetQuery } from "./queries.ts";
import { passedOf, previousOn, verdictOfCiRun } from "./verdicts.ts";

const route = getRouteApi("/p/$projectId/gates/ci/$ciRunId");

/** One CI run: its verdict, the commit it is of, and its cases, those that failed first. */
export function CiRunPage() {
  const { ciRunId } = route.useParams();
  const ciRun = useQuery(ciRunQuery(useApi(), ciRunId));
  const { branch, commit } = readSubject({ git: ciRun.data?.git_context ?? {} });
  const label = [branch, commit].filter(Boolean).join(" ");
  return (
    <Page
      title={label === "" ? "CI run" : `CI run of ${label}`}
      aside={ciRun.data && <Outcome outcome={verdictOfCiRun(ciRun.data).outcome} />}
      actions={ciRun.data && <Actions ciRun={ciRun.data} />}
    >
      <Loaded query={ciRun}>
        {(data) => (
          <>
            <Figures ciRun={data} />
            <GitContext context={data.git_context} />
            <CiRunCases ciRun={data} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Figures({ ciRun }: { ciRun: CiRun }) {
  const api = useApi();
  const { dataset_id: datasetId, total_questions: total, results_submitted: submitted } = ciRun;
  const dataset = useQuery(datasetQuery(api, datasetId));
  const missing = total - submitted;
  return (
    <div className="grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-4">
      <Stat
        label="Cases passed"
        note={`of ${countOf(total, "case")}; ${formatExactShare(ciRun.pass_rate_threshold)} needed`}
      >
        {ciRun.pass_rate === null ? (
          unknown
        ) : (
          <Link
            from="/p/$projectId/gates/ci/$ciRunId"
            to="."
            search={{ show: "passed" }}
            className="text-ink hover:text-accent"
          >
            {formatCount(passedOf(ciRun.pass_rate, total))}
          </Link>
        )}
      </Stat>
      <Stat
        label="Answered"
        note={
          missing > 0 && ciRun.status !== "in_progress" ? (
            <Link
              to="/p/$projectId/runs/$runId"
              params={{ projectId: api.projectId, runId: ciRun.run_id }}
              search={{ tab: "missing" }}
              className="text-bad"
            >
              {missing} not answered
            </Link>
          ) : null
        }
      >
        <Link
          to="/p/$projectId/runs/$runId"
          params={{ projectId: api.projectId, runId: ciRun.run_id }}
          className="text-ink hover:text-accent"
        >
          {formatCount(submitted)}
        </Link>
      </Stat>
      <Stat label="Dataset">
        <Link
          to="/p/$projectId/datasets/$datasetId"
          params={{ projectId: api.projectId, datasetId }}
          className="block truncate text-base text-ink hover:text-accent"
        >
          {dataset.data?.name ?? "-"}
        </Link>
      </Stat>
      <Stat label={ciRun.finalized_at === null ? "Started" : "Finished"}>
        <span className="block text-base">
          <Time iso={ciRun.finalized_at ?? ciRun.created_at} />
        </span>
      </Stat>
    </div>
  );
}

/** The run behind it, and its comparison with the CI run before on the same branch, else on the default one. */
function Actions({ ciRun }: { ciRun: CiRun }) {
  const api = useApi();
  const { projectId } = api;
  const earlier = useQuery(ciRunsBeforeQuery(api, ciRun));
  const before = earlier.data && previousOn(earlier.data, verdictOfCiRun(ciRun));
  return (
    <>
      <ButtonLink to="/p/$projectId/runs/$runId" params={{ projectId, runId: ciRun.run_id }}>
        Open the run
      </ButtonLink>
      {before && (
        <ButtonLink
          look="primary"
          to="/p/$projectId/runs/compare"
          params={{ projectId }}
          search={{ baseline: before.runId, candidate: [ciRun.run_id] }}
        >
          Compare with {before.commit ?? "the one before"}
        </ButtonLink>
      )}
    </>
  );
}
