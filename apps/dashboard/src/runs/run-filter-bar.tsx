import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { SelectField } from "../ui/field.tsx";

const route = getRouteApi("/p/$projectId/runs");

/** Which runs are listed; what is chosen stands in the URL. */
export function RunFilterBar({ datasets }: { datasets: readonly { _id: string; name: string }[] }) {
  const { dataset, status } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/runs" });
  return (
    <div className="flex flex-wrap gap-2 px-4 pb-3 md:px-6">
      <div className="w-48 max-md:flex-1">
        <SelectField
          label="Dataset"
          isLabelHidden
          value={dataset ?? ""}
          onChange={({ target }) =>
            void navigate({ search: (before) => ({ ...before, dataset: target.value || undefined }) })
          }
        >
          <option value="">All datasets</option>
          {datasets.map(({ _id, name }) => (
            <option key={_id} value={_id}>
              {name}
            </option>
          ))}
        </SelectField>
      </div>
      <div className="w-36 max-md:flex-1">
        <SelectField
          label="Status"
          isLabelHidden
          value={status ?? ""}
          onChange={({ target }) =>
            void navigate({
              search: (before) => ({ ...before, status: statuses.find((known) => known === target.value) }),
            })
          }
        >
          <option value="">Any status</option>
          <option value="in_progress">Running</option>
          <option value="completed">Completed</option>
          <option value="failed">Failed</option>
        </SelectField>
      </div>
    </div>
  );
}

const statuses = ["in_progress", "completed", "failed"] as const;
