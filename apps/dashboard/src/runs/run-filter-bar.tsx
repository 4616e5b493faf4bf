import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { allDatasetsQuery } from "../blocks/dataset-summaries.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { FilterMenu, type Named } from "../ui/filter-menu.tsx";
import { formatTime } from "../ui/format.ts";
import { SearchField } from "../ui/search-field.tsx";
import { windowOptions } from "../ui/time-windows.ts";
import { agentNamesQuery } from "./queries.ts";
import { filtersOf, type RunFilters } from "./run-filters.ts";

const route = getRouteApi("/p/$projectId/runs");

const sources: Named[] = [
  { value: "sdk", label: "SDK" },
  { value: "ci", label: "CI" },
  { value: "trace-eval", label: "Evaluated trace" },
  { value: "external", label: "Scored by the client" },
];
const statuses: Named[] = [
  { value: "in_progress", label: "Running" },
  { value: "completed", label: "Completed" },
  { value: "failed", label: "Failed" },
];

/** The filters of the list of runs; the choice is in the URL. */
export function RunFilterBar() {
  const api = useApi();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/runs" });
  const datasets = useQuery(allDatasetsQuery(api)).data ?? [];
  const agents = useQuery(agentNamesQuery(api)).data ?? [];
  const { dataset, subject, version, judged, source, status, from, to } = search;
  const change = (next: RunFilters, isTyping = false): void =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: isTyping });
  const isFiltered = Object.keys(filtersOf(search)).length > 0;
  return (
    <div className="flex flex-wrap items-center gap-2 px-4 pb-2.5 md:px-6">
      <SearchField
        group="Runs"
        placeholder="Search agents, versions, branches, commits"
        value={search.search ?? ""}
        onChange={(text) => change({ search: text || undefined }, true)}
      />
      <FilterMenu
        label="Dataset"
        chosen={dataset}
        options={datasets.map(({ _id, name }) => ({ value: _id, label: name }))}
        onChoose={(value) => change({ dataset: value })}
      />
      <FilterMenu
        label="Agent"
        chosen={subject}
        options={agents.map((name) => ({ value: name, label: name }))}
        onChoose={(value) => change({ subject: value })}
      />
      {version !== undefined && (
        <FilterMenu
          label="Version"
          chosen={version}
          options={[{ value: version, label: version }]}
          onChoose={(value) => change({ version: value })}
        />
      )}
      {judged && (
        <FilterMenu
          label="Ratings"
          chosen="judged"
          options={[{ value: "judged", label: "By a judge" }]}
          onChoose={(value) => change({ judged: value !== undefined || undefined })}
        />
      )}
      <FilterMenu label="Source" chosen={source} options={sources} onChoose={(value) => change({ source: value })} />
      <FilterMenu
        label="Status"
        chosen={status}
        options={statuses}
        onChoose={(value) => change({ status: value as RunFilters["status"] })}
      />
      <FilterMenu
        label="Time"
        chosen={nameOfTime(from, to)}
        options={windowOptions}
        onChoose={(value) => change({ from: value, to: undefined })}
      />
      {isFiltered && (
        <Button look="ghost" onClick={() => void navigate({ search: ({ selected }) => ({ selected }) })}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

/** A window by its name; a period from a link unchanged. */
function nameOfTime(from: string | undefined, to: string | undefined): string | undefined {
  if (to === undefined && (from === undefined || windowOptions.some(({ value }) => value === from))) return from;
  return [from && `from ${formatTime(from)}`, to && `until ${formatTime(to)}`].filter(Boolean).join(" ");
}
