import { type ChangeEvent, type FormEvent, useId, useState } from "react";
import { differs } from "../blocks/leave-guard.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import {
  type FilterChange,
  type Outcome,
  outcomeFilter,
  outcomeOf,
  outcomes,
  sources,
  type TracesFilter,
} from "./list-search.ts";
import { TimeFields } from "./time-fields.tsx";

interface FilterDialogProps {
  filter: TracesFilter;
  agents: readonly { value: string; label: string }[];
  models: readonly string[];
  onApply(change: FilterChange): void;
  onClose(): void;
}

/** All filters in one form; they apply together. */
export function FilterDialog({ filter, agents, models, onApply, onClose }: FilterDialogProps) {
  const [draft, setDraft] = useState<FilterChange>(filter);
  const form = useId();
  const set = (change: FilterChange): void => setDraft((before) => ({ ...before, ...change }));
  const typed =
    (name: "agent" | "model" | "framework" | "session" | "source") =>
    (event: ChangeEvent<HTMLInputElement | HTMLSelectElement>): void =>
      set({ [name]: event.target.value || undefined });
  function apply(event: FormEvent): void {
    event.preventDefault();
    onApply(draft);
    onClose();
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      isChanged={differs(draft, filter)}
      title="Filter traces"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={form}>
            Apply
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={apply} className="grid gap-4 sm:grid-cols-2">
        <SelectField label="Agent" value={draft.agent ?? ""} onChange={typed("agent")}>
          <Options options={agents} chosen={draft.agent} />
        </SelectField>
        <SelectField label="Model" value={draft.model ?? ""} onChange={typed("model")}>
          <Options options={models.map((model) => ({ value: model, label: model }))} chosen={draft.model} />
        </SelectField>
        <SelectField label="Source" value={draft.source ?? ""} onChange={typed("source")}>
          <Options options={named(sources)} chosen={draft.source} />
        </SelectField>
        <SelectField
          label="Outcome"
          hint="Failing: an error, or rated below the threshold."
          value={outcomeOf(draft as TracesFilter) ?? ""}
          onChange={(event) => set(outcomeFilter((event.target.value || undefined) as Outcome | undefined))}
        >
          <Options options={named(outcomes)} chosen={undefined} />
        </SelectField>
        <TimeFields from={draft.from} to={draft.to} onChange={set} />
        <TextField
          label="Latency at least"
          hint="Milliseconds"
          type="number"
          min={0}
          step="any"
          value={draft.slow ?? ""}
          onChange={(event) => set({ slow: event.target.value === "" ? undefined : event.target.valueAsNumber })}
        />
        <TextField
          label="Framework"
          placeholder="langgraph"
          maxLength={64}
          value={draft.framework ?? ""}
          onChange={typed("framework")}
        />
        <TextField label="Session" maxLength={512} value={draft.session ?? ""} onChange={typed("session")} />
      </form>
    </Dialog>
  );
}

const named = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }));

/** Includes the value in the URL even if no list contains it. */
function Options({
  options,
  chosen,
}: {
  options: readonly { value: string; label: string }[];
  chosen: string | undefined;
}) {
  const isListed = chosen === undefined || options.some(({ value }) => value === chosen);
  return (
    <>
      <option value="">All</option>
      {options.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
      {!isListed && <option value={chosen}>{chosen}</option>}
    </>
  );
}
