import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { readSubject, subjectLabel } from "../blocks/run-subject.ts";
import { useApi } from "../shell/session.tsx";
import { Page } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { CasePanel } from "./case-panel.tsx";
import type { Run } from "./case-rows.ts";
import { CaseTable } from "./case-table.tsx";
import { MissingResults } from "./missing-results.tsx";
import { runQuery } from "./queries.ts";
import { RunActions } from "./run-actions.tsx";
import { useRunCases } from "./run-cases.ts";
import { RunHeading, RunOrigin } from "./run-heading.tsx";
import { useRunProgress } from "./run-progress.ts";
import { RunReport } from "./run-report.tsx";
import { RunSummary } from "./run-summary.tsx";

const route = getRouteApi("/p/$projectId/runs/$runId");

/** One run: how it did, how sure that is, and every case of it. */
export function RunPage() {
  const api = useApi();
  const { runId } = route.useParams();
  const run = useQuery(runQuery(api, runId));
  if (run.data === undefined) {
    return (
      <Page title="Run">
        <Loaded query={run}>{() => null}</Loaded>
      </Page>
    );
  }
  return <LoadedRun run={run.data} />;
}

const tabs = [
  { key: "cases", label: "Cases" },
  { key: "report", label: "Report" },
  { key: "missing", label: "Missing results" },
] as const;

function LoadedRun({ run }: { run: Run }) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/runs/$runId" });
  const progress = useRunProgress(run._id, run.status === "in_progress");
  const shown = { ...run, ...progress };
  const cases = useRunCases(run, search);
  const open = cases.all.find(({ key }) => key === search.case);
  const choose = (key: string | undefined): void =>
    void navigate({ search: (before) => ({ ...before, case: key }), replace: search.case !== undefined });
  return (
    <Page
      title={`Run of ${subjectLabel(readSubject(run.evaluationSubject)) ?? run._id}`}
      heading={<RunHeading run={shown} />}
      aside={<RunOrigin run={shown} />}
      actions={<RunActions run={shown} baselineId={cases.baselineId} />}
      isFull
    >
      <div className="flex min-h-0 flex-1">
        <div className="flex min-w-0 flex-1 flex-col overflow-y-auto md:[&>[role=tablist]]:px-3">
          <RunSummary run={shown} cases={cases} />
          <Tabs
            label="Parts of the run"
            tabs={tabs}
            chosen={search.tab ?? "cases"}
            onChoose={(key) =>
              void navigate({
                search: (before) => ({ ...before, tab: key === "cases" ? undefined : key, case: undefined }),
              })
            }
            className="flex min-h-96 flex-1 flex-col max-md:h-[75dvh] max-md:flex-none"
          >
            {search.tab === "report" ? (
              <RunReport run={run} cases={cases.all} />
            ) : search.tab === "missing" ? (
              <MissingResults run={run} />
            ) : (
              <CaseTable run={run} cases={cases} openKey={search.case} onOpen={choose} />
            )}
          </Tabs>
        </div>
        {open !== undefined && <CasePanel key={open.key} row={open} run={run} cases={cases} onChoose={choose} />}
      </div>
    </Page>
  );
}
