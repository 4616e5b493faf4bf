import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Button } from "../ui/button.tsx";
import { SelectField } from "../ui/field.tsx";
import { countOf, formatCount } from "../ui/format.ts";
import type { RunCases } from "./run-cases.ts";

const route = getRouteApi("/p/$projectId/runs/$runId");
const statuses = ["scored", "skipped", "failed"] as const;

/** The filters of a run's cases, with the number of matches. */
export function CaseFilterBar({ cases }: { cases: RunCases }) {
  const { status, above, max } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/runs/$runId" });
  const isFiltered = status !== undefined || above !== undefined || max !== undefined;
  return (
    <div className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2 md:px-6">
      <div className="w-36">
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
          <option value="scored">Scored</option>
          <option value="skipped">Skipped</option>
          <option value="failed">Failed</option>
        </SelectField>
      </div>
      <div className="w-36">
        <SelectField
          label="Rating"
          isLabelHidden
          value={above === undefined && max === undefined ? "" : `${above ?? ""}:${max ?? ""}`}
          onChange={({ target }) => {
            const [from, to] = target.value.split(":").map((edge) => (edge ? Number(edge) : undefined));
            void navigate({ search: (before) => ({ ...before, above: from, max: to }) });
          }}
        >
          <option value="">Any rating</option>
          {above !== undefined && <option value={`${above}:${max ?? ""}`}>{rangeWords(above, max)}</option>}
          {[9, 8, 7, 6, 5, 4, 3, 2, 1].map((most) => (
            <option key={most} value={`:${most}`}>
              Up to {most}
            </option>
          ))}
        </SelectField>
      </div>
      {isFiltered && (
        <Button
          look="ghost"
          onClick={() =>
            void navigate({ search: (before) => ({ ...before, status: undefined, above: undefined, max: undefined }) })
          }
        >
          Clear filters
        </Button>
      )}
      <span className="ml-auto text-soft tabular-nums" role="status">
        {countOf(cases.caseCount, "case")}
        {cases.resultCount !== cases.caseCount && `, ${formatCount(cases.resultCount)} results`}
      </span>
    </div>
  );
}

const rangeWords = (above: number, max: number | undefined): string =>
  max === undefined ? `Above ${above}` : `Above ${above}, up to ${max}`;
