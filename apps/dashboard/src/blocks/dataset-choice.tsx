import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { bodyOf } from "../api/client.ts";
import { useApi } from "../shell/session.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { countOf } from "../ui/format.ts";
import { Loaded, Skeleton } from "../ui/states.tsx";

/** `id` is null for one that is made with the first case. */
export interface ChosenDataset {
  id: string | null;
  name: string;
}

/** One of the project's datasets, or a name for a new one. The newest is chosen at first. */
export function DatasetChoice({
  chosen,
  onChoose,
}: {
  chosen: ChosenDataset | null;
  onChoose(dataset: ChosenDataset): void;
}) {
  const api = useApi();
  const datasets = useQuery({
    queryKey: [api.projectId, "datasets", "all"],
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET("/api/v1/custom-agent-evaluations/datasets", { signal }))).datasets.map(
        ({ _id: id, name, questions }) => ({ id, name, caseCount: questions.length }),
      ),
  });
  useEffect(() => {
    if (chosen === null && datasets.data !== undefined) onChoose(datasets.data[0] ?? { id: null, name: "" });
  }, [chosen, datasets.data, onChoose]);
  return (
    <Loaded query={datasets} skeleton={<Skeleton rows={1} />}>
      {(all) => (
        <div className="grid gap-3 sm:grid-cols-2">
          <SelectField
            label="Dataset"
            value={chosen?.id ?? ""}
            onChange={(event) => {
              const found = all.find(({ id }) => id === event.target.value);
              onChoose(found === undefined ? { id: null, name: "" } : { id: found.id, name: found.name });
            }}
          >
            {all.map(({ id, name, caseCount }) => (
              <option key={id} value={id}>
                {name} ({countOf(caseCount, "case")})
              </option>
            ))}
            {chosen?.id != null && !all.some(({ id }) => id === chosen.id) && (
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
