import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { readSubject, subjectLabel } from "../blocks/run-subject.ts";
import { useWhyKey } from "../blocks/why-key.ts";
import { useApi } from "../shell/session.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { Page } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import type { Run } from "./case-rows.ts";
import { CaseTable } from "./case-table.tsx";
import { MissingResults } from "./missing-results.tsx";
import { runQuery } from "./queries.ts";
import { RunActions } from "./run-actions.tsx";
import { type RunCases, useRunCases } from "./run-cases.ts";
import { RunHeading, RunOrigin } from "./run-heading.tsx";
import { useRunProgress } from "./run-progress.ts";
import { RunReport } from "./run-report.tsx";
import { RunSummary } from "./run-summary.tsx";

const OpenCase = lazyPart(async () => (await import("./open-case.tsx")).OpenCase);

const route = getRouteApi("/p/$projectId/runs/$runId");

/** One run: its result, its uncertainty, and all of its cases. */
export function RunPage() {
  const { runId } = route.useParams();
  return <OneRun key={runId} runId={runId} />;
}

function OneRun({ runId }: { runId: string }) {
  const run = useQuery(runQuery(useApi(), runId));
  // Requested in parallel: the first page of a large run arrives before its figures.
  const cases = useRunCases(runId, route.useSearch());
  if (run.data === undefined) {
    return (
      <Page title="Run">
        <Loaded query={run}>{() => null}</Loaded>
      </Page>
    );
  }
  return <LoadedRun run={run.data} cases={cases} />;
}

const tabs = [
  { key: "cases", label: "Cases" },
  { key: "report", label: "Report" },
  { key: "missing", label: "Missing results" },
] as const;

function LoadedRun({ run, cases }: { run: Run; cases: RunCases }) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/runs/$runId" });
  const progress = useRunProgress(run._id, run.status === "in_progress");
  const shown = { ...run, ...progress };
  const choose = (key: string | undefined): void =>
    void navigate({
      search: (before) => ({ ...before, case: key, result: undefined, ...(key === undefined && { why: undefined }) }),
      replace: search.case !== undefined,
    });
  const showWhy = (key: string): void =>
    void navigate({
      search: (before) => ({ ...before, case: key, result: undefined, why: cases.scorerId ?? "primary" }),
    });
  const first = search.case ?? cases.rows[0]?.key;
  const hideWhy = (): void => void navigate({ search: (before) => ({ ...before, why: undefined }) });
  useWhyKey(search.why !== undefined ? hideWhy : first === undefined ? undefined : () => showWhy(first));
  return (
    <Page
      title={`Run of ${subjectLabel(readSubject(run.evaluationSubject)) ?? run._id}`}
      heading={<RunHeading run={shown} />}
      aside={<RunOrigin run={shown} />}
      actions={<RunActions run={shown} baselineId={cases.baselineId} />}
      isFull
    >
      <div className="flex min-h-0 flex-1">
        <div className="flex min-w-0 flex-1 flex-col overflow-y-auto">
          <RunSummary run={shown} scorerId={cases.scorerId} />
          <Tabs
            label="Parts of the run"
            tabs={tabs}
            chosen={search.tab ?? "cases"}
            onChoose={(key) =>
              void navigate({
                search: (before) => ({
                  ...before,
                  tab: key === "cases" ? undefined : key,
                  case: undefined,
                  why: undefined,
                }),
              })
            }
            rowClassName="md:px-3"
            className="flex min-h-96 flex-1 flex-col max-md:h-[75dvh] max-md:flex-none"
          >
            {search.tab === "report" ? (
              <RunReport run={run} />
            ) : search.tab === "missing" ? (
              <MissingResults run={run} />
            ) : (
              <CaseTable run={run} cases={cases} openKey={search.case} onOpen={choose} onWhy={showWhy} />
            )}
          </Tabs>
        </div>
        {search.case !== undefined && (
          <OpenCase key={search.case} caseKey={search.case} run={run} cases={cases} onChoose={choose} />
        )}
      </div>
    </Page>
  );
}
