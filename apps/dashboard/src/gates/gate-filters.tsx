import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { SelectField } from "../ui/field.tsx";
import { SearchField } from "../ui/search-field.tsx";

const route = getRouteApi("/p/$projectId/gates");

/** The filters of the verdicts; the choice is in the URL. */
export function GateFilters({
  branches,
  names,
}: {
  branches: readonly string[];
  names: ReadonlyMap<string, string> | undefined;
}) {
  const { branch, commit, dataset } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/gates" });
  const known = branch === undefined || branches.includes(branch) ? branches : [branch, ...branches];
  return (
    <div className="flex flex-wrap gap-2 px-4 pb-3 md:px-6">
      <div className="w-56 max-md:flex-1">
        <SelectField
          label="Branch"
          isLabelHidden
          value={branch ?? ""}
          onChange={({ target }) =>
            void navigate({ search: (before) => ({ ...before, branch: target.value || undefined }) })
          }
        >
          <option value="">All branches</option>
          {known.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
      </div>
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
          {[...(names ?? [])].map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
      </div>
      <SearchField
        label="Search by commit"
        placeholder="Commit"
        group="Gates"
        className="w-40 max-md:flex-1"
        value={commit ?? ""}
        onChange={(text) =>
          void navigate({ search: (before) => ({ ...before, commit: text || undefined }), replace: true })
        }
      />
    </div>
  );
}
