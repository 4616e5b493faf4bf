import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useApi } from "../shell/session.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { countOf } from "../ui/format.ts";
import { Loaded, Skeleton } from "../ui/states.tsx";
import { allDatasetsQuery, type DatasetSummary } from "./dataset-summaries.ts";

/** `id` is null for a dataset that will be created with the first case. */
export interface ChosenDataset {
  id: string | null;
  name: string;
}

/** One of the project's datasets, or a name for a new one. The newest is the default. */
export function DatasetChoice({
  chosen,
  onChoose,
}: {
  chosen: ChosenDataset | null;
  onChoose(dataset: ChosenDataset): void;
}) {
  const api = useApi();
  const datasets = useQuery(allDatasetsQuery(api));
  useEffect(() => {
    if (chosen === null && datasets.data !== undefined) onChoose(choiceOf(datasets.data[0]));
  }, [chosen, datasets.data, onChoose]);
  return (
    <Loaded query={datasets} skeleton={<Skeleton rows={1} />}>
      {(all) => (
        <div className="grid gap-3 sm:grid-cols-2">
          <SelectField
            label="Dataset"
            value={chosen?.id ?? ""}
            onChange={(event) => {
              onChoose(choiceOf(all.find(({ _id }) => _id === event.target.value)));
            }}
          >
            {all.map(({ _id, name, caseCount }) => (
              <option key={_id} value={_id}>
                {name} ({countOf(caseCount, "case")})
              </option>
            ))}
            {chosen?.id != null && !all.some(({ _id }) => _id === chosen.id) && (
              <option value={chosen.id}>{chosen.name}</option>
            )}
            <option value="">New dataset</option>
          </SelectField>
          {chosen?.id === null && (
            <TextField
              label="Its name"
              value={chosen.name}
              onChange={(event) => onChoose({ id: null, name: event.target.value })}
            />
          )}
        </div>
      )}
    </Loaded>
  );
}

const choiceOf = (dataset: DatasetSummary | undefined): ChosenDataset =>
  dataset === undefined ? { id: null, name: "" } : { id: dataset._id, name: dataset.name };
