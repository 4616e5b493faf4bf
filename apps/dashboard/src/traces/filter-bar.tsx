import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { classNames } from "../ui/class-names.ts";
import { CloseIcon, FilterIcon } from "../ui/icons.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { filterChips } from "./filter-chips.ts";
import { FilterDialog } from "./filter-dialog.tsx";
import { FilterMenus } from "./filter-menus.tsx";
import { agentNamesQuery, modelNamesQuery } from "./list-queries.ts";
import type { FilterChange, TracesFilter } from "./list-search.ts";

interface FilterBarProps {
  filter: TracesFilter;
  /** `isTyping` replaces the history entry. */
  onChange(change: FilterChange, isTyping?: boolean): void;
  onClear(): void;
}

/** The search, a menu for each common filter, a dialog for all filters, and the active filters without a menu. */
export function FilterBar({ filter, onChange, onClear }: FilterBarProps) {
  const api = useApi();
  const agents = useQuery(agentNamesQuery(api)).data ?? [];
  const models = useQuery(modelNamesQuery(api)).data ?? [];
  const [isOpen, setOpen] = useState(false);
  useShortcuts("Traces", [{ keys: "f", label: "Filter", run: () => setOpen(true) }]);

  const chips = filterChips(filter, (id) => agents.find(({ value }) => value === id)?.label ?? id);
  const isFiltered = chips.length > 0 || filter.search !== undefined;
  return (
    <div className="flex flex-wrap items-center gap-2 px-4 pb-2.5 md:px-6">
      <SearchField
        group="Traces"
        placeholder="Search texts, models, sessions, ids"
        value={filter.search ?? ""}
        onChange={(search) => onChange({ search: search || undefined }, true)}
      />
      <div className="contents max-md:hidden">
        <FilterMenus filter={filter} agents={agents} models={models} onChange={onChange} />
      </div>
      <Button onClick={() => setOpen(true)} className="text-soft">
        <FilterIcon /> <span className="max-md:sr-only">More filters</span>
      </Button>
      {chips.map(({ name, text, isInMenu }) => (
        <button
          key={name}
          type="button"
          onClick={() => onChange({ [name]: undefined })}
          className={classNames(
            "inline-flex h-8 max-w-72 items-center gap-1.5 rounded-sm bg-chosen px-2.5 max-md:h-11",
            isInMenu && "md:hidden",
          )}
        >
          <span className="sr-only">Remove the filter </span>
          <span className="truncate">{text}</span>
          <CloseIcon className="size-3 text-soft" />
        </button>
      ))}
      {isFiltered && (
        <Button look="ghost" onClick={onClear}>
          Clear filters
        </Button>
      )}
      {isOpen && (
        <FilterDialog
          filter={filter}
          agents={agents}
          models={models}
          onApply={onChange}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  );
}
