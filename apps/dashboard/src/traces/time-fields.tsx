import { SelectField, TextField } from "../ui/field.tsx";
import { windows } from "../ui/time-windows.ts";
import type { FilterChange } from "./list-search.ts";
import { toIso, toLocalInput } from "./local-moment.ts";

const dayMs = 86_400_000;

/** A window that ends now, or a start and an end. */
export function TimeFields({
  from,
  to,
  onChange,
}: {
  from: string | undefined;
  to: string | undefined;
  onChange(change: FilterChange): void;
}) {
  const isWindow = from !== undefined && from in windows && to === undefined;
  const isOpen = from === undefined && to === undefined;
  const choice = isWindow ? from : isOpen ? "" : "between";
  function choose(chosen: string): void {
    if (chosen === "between") onChange({ from: new Date(Date.now() - dayMs).toISOString() });
    else onChange({ from: chosen || undefined, to: undefined });
  }
  return (
    <>
      <SelectField label="Time" value={choice} onChange={(event) => choose(event.target.value)}>
        <option value="">All</option>
        {Object.entries(windows).map(([key, { label }]) => (
          <option key={key} value={key}>
            {label}
          </option>
        ))}
        <option value="between">From and until</option>
      </SelectField>
      {choice === "between" && (
        <div className="grid gap-4 sm:col-span-2 sm:grid-cols-2">
          <TextField
            label="From"
            type="datetime-local"
            value={toLocalInput(from)}
            onChange={(event) => onChange({ from: toIso(event.target.value) })}
          />
          <TextField
            label="Until"
            type="datetime-local"
            value={toLocalInput(to)}
            onChange={(event) => onChange({ to: toIso(event.target.value) })}
          />
        </div>
      )}
    </>
  );
}
