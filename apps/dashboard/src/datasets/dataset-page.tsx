import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useApi } from "../shell/session.tsx";
import { countOf } from "../ui/format.ts";
import { Page, Time } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { AgentVersions } from "./agent-versions.tsx";
import { CasesTab } from "./cases-tab.tsx";
import { DatasetActions } from "./dataset-actions.tsx";
import { DatasetRuns } from "./dataset-runs.tsx";
import { type Dataset, datasetQuery } from "./queries.ts";
import { SettingsTab } from "./settings-tab.tsx";
import { VersionsTab } from "./versions-tab.tsx";

const route = getRouteApi("/p/$projectId/datasets/$datasetId");

const tabs = [
  { key: "cases", label: "Cases" },
  { key: "versions", label: "Versions" },
  { key: "runs", label: "Runs" },
  { key: "settings", label: "Settings" },
] as const;

/** One dataset: its cases, its versions, its runs, and its grading. */
export function DatasetPage() {
  const api = useApi();
  const { datasetId } = route.useParams();
  const dataset = useQuery(datasetQuery(api, datasetId));
  return (
    <Page
      title={dataset.data?.name ?? "Dataset"}
      isFull
      aside={
        dataset.data && (
          <>
            <span>{countOf(dataset.data.questions.length, "case")}</span>
            <span className="text-faint">
              created <Time iso={dataset.data.createdAt} isAge />
            </span>
          </>
        )
      }
      actions={dataset.data && <DatasetActions dataset={dataset.data} />}
    >
      <Loaded query={dataset}>{(data) => <DatasetTabs dataset={data} />}</Loaded>
    </Page>
  );
}

function DatasetTabs({ dataset }: { dataset: Dataset }) {
  const { tab = "cases" } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/datasets/$datasetId" });
  return (
    <Tabs
      label="Parts of the dataset"
      tabs={tabs}
      chosen={tab}
      onChoose={(key) => void navigate({ search: key === "cases" ? {} : { tab: key } })}
      rowClassName="px-1 md:px-3"
      className="flex min-h-0 min-w-0 flex-1 flex-col"
    >
      {tab === "cases" && <CasesTab dataset={dataset} />}
      {tab === "versions" && <VersionsTab datasetId={dataset._id} />}
      {tab === "runs" && (
        <>
          <AgentVersions datasetId={dataset._id} />
          <DatasetRuns datasetId={dataset._id} />
        </>
      )}
      {tab === "settings" && <SettingsTab dataset={dataset} />}
    </Tabs>
  );
}
