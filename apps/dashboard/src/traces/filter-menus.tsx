import { FilterMenu, type Named } from "../ui/filter-menu.tsx";
import { windowOptions } from "../ui/time-windows.ts";
import {
  type FilterChange,
  type Outcome,
  outcomeFilter,
  outcomeOf,
  outcomes,
  sources,
  type TracesFilter,
} from "./list-search.ts";

const outcomeOptions = Object.entries(outcomes).map(([value, label]) => ({ value, label }));
const sourceOptions = Object.entries(sources).map(([value, label]) => ({ value, label }));

/** A menu for each common filter; it shows the current choice. */
export function FilterMenus({
  filter,
  agents,
  models,
  onChange,
}: {
  filter: TracesFilter;
  agents: readonly Named[];
  models: readonly string[];
  onChange(change: FilterChange): void;
}) {
  return (
    <>
      <FilterMenu label="Agent" chosen={filter.agent} options={agents} onChoose={(agent) => onChange({ agent })} />
      <FilterMenu
        label="Model"
        chosen={filter.model}
        options={models.map((model) => ({ value: model, label: model }))}
        onChoose={(model) => onChange({ model })}
      />
      <FilterMenu
        label="Source"
        chosen={filter.source}
        options={sourceOptions}
        onChoose={(source) => onChange({ source: source as TracesFilter["source"] })}
      />
      <FilterMenu
        label="Outcome"
        chosen={outcomeOf(filter)}
        options={outcomeOptions}
        onChoose={(outcome) => onChange(outcomeFilter(outcome as Outcome | undefined))}
      />
      <FilterMenu
        label="Time"
        chosen={windowOptions.find(({ value }) => value === filter.from)?.value}
        options={windowOptions}
        onChoose={(from) => onChange({ from, to: undefined })}
      />
    </>
  );
}
