import { type FormEvent, useId, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { CheckField, SelectField, TextField } from "../ui/field.tsx";
import type { TracesFilter } from "./list-search.ts";
import { windows } from "./list-search.ts";
import { toIso, toLocalInput } from "./local-moment.ts";

type Change = { [Name in keyof TracesFilter]?: TracesFilter[Name] | undefined };

interface FilterDialogProps {
  filter: TracesFilter;
  agents: readonly { id: string; name: string }[];
  models: readonly string[];
  onApply(change: Change): void;
  onClose(): void;
}

/** All filters in one form; they apply together. */
export function FilterDialog({ filter, agents, models, onApply, onClose }: FilterDialogProps) {
  const [draft, setDraft] = useState<Change>(filter);
  const form = useId();
  const set = (change: Change): void => setDraft((before) => ({ ...before, ...change }));
  const window = draft.from === undefined ? "" : draft.from in windows ? draft.from : "custom";
  function apply(event: FormEvent): void {
    event.preventDefault();
    onApply(draft);
    onClose();
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
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
        <SelectField
          label="Agent"
          value={draft.agent ?? ""}
          onChange={(e) => set({ agent: e.target.value || undefined })}
        >
          <option value="">All</option>
          {agents.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
          <Unlisted value={draft.agent} listed={agents.map(({ id }) => id)} />
        </SelectField>
        <SelectField
          label="Model"
          value={draft.model ?? ""}
          onChange={(e) => set({ model: e.target.value || undefined })}
        >
          <option value="">All</option>
          {models.map((model) => (
            <option key={model}>{model}</option>
          ))}
          <Unlisted value={draft.model} listed={models} />
        </SelectField>
        <SelectField
          label="Source"
          value={draft.source ?? ""}
          onChange={(e) => set({ source: (e.target.value || undefined) as Change["source"] })}
        >
          <option value="">All</option>
          <option value="production">Production</option>
          <option value="eval">Eval runs</option>
        </SelectField>
        <TextField
          label="Framework"
          placeholder="langgraph"
          value={draft.framework ?? ""}
          onChange={(e) => set({ framework: e.target.value || undefined })}
        />
        <SelectField
          label="Time"
          value={window}
          onChange={(e) =>
            set(
              e.target.value === "custom"
                ? { from: new Date(Date.now() - 86_400_000).toISOString() }
                : { from: e.target.value || undefined, to: undefined },
            )
          }
        >
          <option value="">All</option>
          {Object.entries(windows).map(([key, { label }]) => (
            <option key={key} value={key}>
              {label}
            </option>
          ))}
          <option value="custom">From and until</option>
        </SelectField>
        <TextField
          label="Session"
          value={draft.session ?? ""}
          onChange={(e) => set({ session: e.target.value || undefined })}
        />
        {(window === "custom" || draft.to !== undefined) && (
          <>
            <TextField
              label="From"
              type="datetime-local"
              value={window === "custom" ? toLocalInput(draft.from) : ""}
              onChange={(e) => set({ from: toIso(e.target.value) })}
            />
            <TextField
              label="Until"
              type="datetime-local"
              value={toLocalInput(draft.to)}
              onChange={(e) => set({ to: toIso(e.target.value) })}
            />
          </>
        )}
        <CheckField
          label="Only failed traces"
          hint="They ended in an error."
          checked={draft.error === true}
          onChange={(e) => set({ error: e.target.checked || undefined })}
        />
      </form>
    </Dialog>
  );
}

/** A value of the URL that is not among the options. */
function Unlisted({ value, listed }: { value: string | undefined; listed: readonly string[] }) {
  if (value === undefined || listed.includes(value)) return null;
  return <option value={value}>{value}</option>;
}
