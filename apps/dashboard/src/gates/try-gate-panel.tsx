import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { readSubject, subjectLabel } from "../blocks/run-subject.ts";
import { useApi } from "../shell/session.tsx";
import { SelectField } from "../ui/field.tsx";
import { formatRating, formatTime } from "../ui/format.ts";
import { SidePanel } from "../ui/side-panel.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { GateChecks } from "./gate-checks.tsx";
import { firstGateForm, readGateForm } from "./gate-form.ts";
import { type GateQuery, gateableRunsQuery, triedGateQuery } from "./queries.ts";
import { TriedVerdict } from "./tried-verdict.tsx";

const route = getRouteApi("/p/$projectId/gates");

/** A gate on a run, tried without keeping its verdict: thresholds are changed and the verdict follows. */
export function TryGatePanel({ names, onClose }: { names: ReadonlyMap<string, string> | undefined; onClose(): void }) {
  const api = useApi();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/gates" });
  const [form, setForm] = useState(firstGateForm);
  const datasetId = search.dataset ?? names?.keys().next().value;
  const runs = useQuery({ ...gateableRunsQuery(api, datasetId ?? ""), enabled: datasetId !== undefined });
  const { query, mistakes } = readGateForm(form);
  return (
    <SidePanel title="Try a gate" onClose={onClose}>
      <div className="flex flex-col gap-5">
        <div className="grid gap-3 sm:grid-cols-2">
          <SelectField
            label="Dataset"
            value={datasetId ?? ""}
            onChange={({ target }) =>
              void navigate({ search: (before) => ({ ...before, dataset: target.value, run: undefined }) })
            }
          >
            {[...(names ?? [])].map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
          <SelectField
            label="Run"
            value={search.run ?? ""}
            onChange={({ target }) =>
              void navigate({ search: (before) => ({ ...before, run: target.value || undefined }) })
            }
          >
            <option value="">The newest completed one</option>
            {runs.data?.map((run) => (
              <option key={run._id} value={run._id}>
                {[
                  subjectLabel(readSubject(run.evaluationSubject)) ?? run._id.slice(0, 13),
                  formatRating(run.averageRating),
                  formatTime(run.createdAt),
                ].join(" · ")}
              </option>
            ))}
          </SelectField>
        </div>
        <GateChecks form={form} mistakes={mistakes} onChange={(change) => setForm({ ...form, ...change })} />
        {datasetId !== undefined && query !== null ? (
          <Answer datasetId={datasetId} runId={search.run} query={query} hasRuns={runs.data?.length !== 0} />
        ) : (
          <p className="m-0 text-soft">Choose at least one check.</p>
        )}
      </div>
    </SidePanel>
  );
}

function Answer({
  datasetId,
  runId,
  query,
  hasRuns,
}: {
  datasetId: string;
  runId: string | undefined;
  query: GateQuery;
  hasRuns: boolean;
}) {
  const tried = useQuery({ ...triedGateQuery(useApi(), datasetId, runId, query), enabled: hasRuns });
  if (!hasRuns)
    return <EmptyState title="No completed run">A gate needs a run of this dataset that has ended.</EmptyState>;
  return <Loaded query={tried}>{(gate) => <TriedVerdict gate={gate} query={query} />}</Loaded>;
}
