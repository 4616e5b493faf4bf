import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useApi } from "../shell/session.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { SelectField } from "../ui/field.tsx";
import { CloseIcon, PlusIcon } from "../ui/icons.tsx";
import { datasetRunsQuery, type ListedRun } from "./queries.ts";
import { runLabel } from "./run-label.ts";
import { type ComparedRuns, replaceRun } from "./selected-runs.ts";

/** The compared runs: the baseline and its candidates. Each can be replaced by another run of the dataset. */
export function ChosenRuns({
  baseline,
  candidates,
  dataset,
  onChange,
  onSwap,
}: {
  baseline: string;
  candidates: string[];
  dataset: { id: string; name: string | null } | undefined;
  onChange(next: ComparedRuns): void;
  onSwap(): void;
}) {
  const api = useApi();
  const runs = useQuery({ ...datasetRunsQuery(api, dataset?.id ?? ""), enabled: dataset !== undefined }).data ?? [];
  const replace = (replaced: string, chosen: string): void =>
    onChange(replaceRun({ baseline, candidate: candidates }, replaced, chosen));
  const taken = new Set([baseline, ...candidates]);
  const another = runs.find(({ _id, status }) => !taken.has(_id) && status === "completed");
  return (
    <div className="flex flex-wrap items-end gap-x-3 gap-y-2">
      <RunSelect label="Baseline" runs={runs} value={baseline} onChoose={(id) => replace(baseline, id)} />
      <Button onClick={onSwap} hint="Swap baseline and candidate (s)" aria-label="Swap">
        ⇄
      </Button>
      {candidates.map((candidate, index) => (
        <span key={candidate} className="flex items-end gap-1 max-md:w-full">
          <RunSelect
            label={candidates.length > 1 ? `Candidate ${index + 1}` : "Candidate"}
            runs={runs}
            value={candidate}
            onChoose={(id) => replace(candidate, id)}
          />
          {candidates.length > 1 && (
            <IconButton
              label="Leave this run out"
              onClick={() => onChange({ baseline, candidate: candidates.filter((each) => each !== candidate) })}
            >
              <CloseIcon />
            </IconButton>
          )}
        </span>
      ))}
      {another !== undefined && (
        <Button look="ghost" onClick={() => onChange({ baseline, candidate: [...candidates, another._id] })}>
          <PlusIcon /> Another run
        </Button>
      )}
      {dataset !== undefined && (
        <span className="mb-1.5 ml-auto text-soft">
          Dataset{" "}
          <Link
            to="/p/$projectId/datasets/$datasetId"
            params={{ projectId: api.projectId, datasetId: dataset.id }}
            className="text-accent"
          >
            {dataset.name ?? "(deleted)"}
          </Link>
        </span>
      )}
    </div>
  );
}

function RunSelect({
  label,
  runs,
  value,
  onChoose,
}: {
  label: string;
  runs: readonly ListedRun[];
  value: string;
  onChoose(id: string): void;
}) {
  return (
    <div className="w-76 max-w-full max-md:w-full">
      <SelectField label={label} value={value} onChange={({ target }) => onChoose(target.value)}>
        {!runs.some(({ _id }) => _id === value) && <option value={value}>run {value.slice(0, 13)}</option>}
        {runs.map((run) => (
          <option key={run._id} value={run._id}>
            {runLabel(run)}
          </option>
        ))}
      </SelectField>
    </div>
  );
}
