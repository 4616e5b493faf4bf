import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { ChevronDownIcon, CloseIcon, FilterIcon } from "../ui/icons.tsx";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { filterChips } from "./filter-chips.ts";
import { FilterDialog } from "./filter-dialog.tsx";
import { agentNamesQuery, modelNamesQuery } from "./list-queries.ts";
import { type TracesFilter, windows } from "./list-search.ts";

/** Typing is asked for when it pauses this long. */
const typingMs = 250;

interface FilterBarProps {
  filter: TracesFilter;
  /** `isTyping` replaces the history entry. A member that is undefined is taken away. */
  onChange(change: { [Name in keyof TracesFilter]?: TracesFilter[Name] | undefined }, isTyping?: boolean): void;
  onClear(): void;
}

/** The search, a menu for each usual filter, a dialog for all of them, and the filters that are set. */
export function FilterBar({ filter, onChange, onClear }: FilterBarProps) {
  const api = useApi();
  const agents = useQuery(agentNamesQuery(api));
  const models = useQuery(modelNamesQuery(api));
  const [isOpen, setOpen] = useState(false);
  useShortcuts("Traces", [{ keys: "f", label: "Filter", run: () => setOpen(true) }]);

  const chips = filterChips(filter, (id) => agents.data?.find((agent) => agent.id === id)?.name ?? id);
  const choice = <Name extends keyof TracesFilter>(
    name: Name,
    options: readonly { value: TracesFilter[Name]; label: string }[],
  ): MenuItem[] => [
    { label: "All", isChosen: filter[name] === undefined, onChoose: () => onChange({ [name]: undefined }) },
    ...options.map(({ value, label }) => ({
      label,
      isChosen: filter[name] === value,
      onChoose: () => onChange({ [name]: value }),
    })),
  ];
  return (
    <div className="flex flex-wrap items-center gap-2 px-4 pb-2 md:px-6">
      <SearchField value={filter.search ?? ""} onChange={(search) => onChange({ search: search || undefined }, true)} />
      <div className="contents max-md:hidden">
        <FilterMenu
          label="Agent"
          items={choice("agent", agents.data?.map(({ id, name }) => ({ value: id, label: name })) ?? [])}
        />
        <FilterMenu
          label="Model"
          items={choice("model", models.data?.map((model) => ({ value: model, label: model })) ?? [])}
        />
        <FilterMenu
          label="Source"
          items={choice("source", [
            { value: "production", label: "Production" },
            { value: "eval", label: "Eval runs" },
          ])}
        />
        <FilterMenu
          label="Time"
          items={choice(
            "from",
            Object.entries(windows).map(([value, { label }]) => ({ value, label })),
          )}
        />
        <Button
          aria-pressed={filter.error === true}
          className={filter.error ? "bg-chosen" : ""}
          onClick={() => onChange({ error: filter.error ? undefined : true })}
        >
          Failed
        </Button>
      </div>
      <Button onClick={() => setOpen(true)}>
        <FilterIcon /> Filter
      </Button>
      {chips.map(({ name, text }) => (
        <button
          key={name}
          type="button"
          onClick={() => onChange({ [name]: undefined })}
          className="inline-flex h-8 max-w-72 items-center gap-1.5 rounded-sm bg-chosen px-2.5 max-md:h-11"
        >
          <span className="sr-only">Remove the filter </span>
          <span className="truncate">{text}</span>
          <CloseIcon className="size-3 text-soft" />
        </button>
      ))}
      {(chips.length > 1 || (chips.length > 0 && filter.search !== undefined)) && (
        <Button look="ghost" onClick={onClear}>
          Clear filters
        </Button>
      )}
      {isOpen && (
        <FilterDialog
          filter={filter}
          agents={agents.data ?? []}
          models={models.data ?? []}
          onApply={onChange}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  );
}

function FilterMenu({ label, items }: { label: string; items: MenuItem[] }) {
  return (
    <Menu
      trigger={
        <Button className="text-soft">
          {label} <ChevronDownIcon className="size-3.5" />
        </Button>
      }
      items={items}
    />
  );
}

/** Asks for what was typed once it pauses; a filter that is cleared elsewhere clears the field. */
function SearchField({ value, onChange }: { value: string; onChange(value: string): void }) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  const latest = useRef(onChange);
  latest.current = onChange;
  const place = useRef<HTMLDivElement>(null);
  useShortcuts("Traces", [{ keys: "/", label: "Search", run: () => place.current?.querySelector("input")?.focus() }]);
  useEffect(() => {
    if (value !== sent.current) setTyped(value);
    sent.current = value;
  }, [value]);
  useEffect(() => {
    if (typed.trim() === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = typed.trim();
      latest.current(typed.trim());
    }, typingMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <div ref={place} className="w-72 max-md:min-w-0 max-md:flex-1">
      <TextField
        label="Search"
        isLabelHidden
        type="search"
        placeholder="Search texts, models, sessions, ids"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
      />
    </div>
  );
}
