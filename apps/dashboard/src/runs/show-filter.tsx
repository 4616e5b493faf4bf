import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { classNames } from "../ui/class-names.ts";
import { formatCount } from "../ui/format.ts";
import { type CompareRow, countShows, type Show } from "./compare-rows.ts";

const route = getRouteApi("/p/$projectId/runs/compare");

const labels: readonly [Show | undefined, string][] = [
  [undefined, "All"],
  ["worse", "▼ Worse"],
  ["same", "= Same"],
  ["better", "▲ Better"],
  ["changed", "Changed"],
  ["errors", "Errors"],
  ["unrated", "Not rated in both"],
];

/** The number of worse, unchanged and better cases; each count shows its cases. */
export function ShowFilter({ rows }: { rows: readonly CompareRow[] }) {
  const { show } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/runs/compare" });
  const counts = countShows(rows);
  return (
    <fieldset className="m-0 mr-auto flex flex-wrap gap-1.5 border-0 p-0">
      <legend className="sr-only">Cases shown</legend>
      {labels.map(([key, label]) => {
        const count = key === undefined ? rows.length : counts[key];
        if ((key === "errors" || key === "unrated") && count === 0 && show !== key) return null;
        return (
          <button
            key={label}
            type="button"
            aria-pressed={show === key}
            onClick={() => void navigate({ search: (before) => ({ ...before, show: key, case: undefined }) })}
            className={classNames(
              "h-8 rounded-sm border px-2.5 whitespace-nowrap tabular-nums max-md:h-11",
              show === key ? "border-accent bg-chosen font-medium text-ink" : "border-line text-soft hover:bg-hover",
            )}
          >
            {label} <span className="text-ink">{formatCount(count)}</span>
          </button>
        );
      })}
    </fieldset>
  );
}
