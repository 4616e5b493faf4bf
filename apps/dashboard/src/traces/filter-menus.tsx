import { Button } from "../ui/button.tsx";
import { classNames } from "../ui/class-names.ts";
import { ChevronDownIcon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import {
  type FilterChange,
  type Outcome,
  outcomeFilter,
  outcomeOf,
  outcomes,
  sources,
  type TracesFilter,
  windows,
} from "./list-search.ts";

interface Named {
  value: string;
  label: string;
}

const windowOptions = Object.entries(windows).map(([value, { label }]) => ({ value, label }));
const outcomeOptions = Object.entries(outcomes).map(([value, label]) => ({ value, label }));
const sourceOptions = Object.entries(sources).map(([value, label]) => ({ value, label }));

/** A menu for each usual filter; it shows what is chosen. */
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
        chosen={filter.from !== undefined && filter.from in windows ? filter.from : undefined}
        options={windowOptions}
        onChoose={(from) => onChange({ from, to: undefined })}
      />
    </>
  );
}

function FilterMenu({
  label,
  chosen,
  options,
  onChoose,
}: {
  label: string;
  chosen: string | undefined;
  options: readonly Named[];
  onChoose(value: string | undefined): void;
}) {
  const name = chosen === undefined ? null : (options.find(({ value }) => value === chosen)?.label ?? chosen);
  return (
    <Menu
      trigger={
        <Button className={classNames("max-w-64", name === null ? "text-soft" : "bg-chosen")}>
          <span className="truncate">
            {name === null ? (
              label
            ) : (
              <>
                <span className="sr-only">{label}: </span>
                {name}
              </>
            )}
          </span>
          <ChevronDownIcon className="size-3.5" />
        </Button>
      }
      items={[
        { label: "All", isChosen: chosen === undefined, onChoose: () => onChoose(undefined) },
        null,
        ...options.map(({ value, label: option }) => ({
          label: option,
          isChosen: value === chosen,
          onChoose: () => onChoose(value),
        })),
      ]}
    />
  );
}
