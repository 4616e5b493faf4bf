import type { ReactNode } from "react";
import { CheckField, TextField } from "../ui/field.tsx";
import type { GateForm } from "./gate-form.ts";

/** The checks of a gate, each with its threshold. */
export function GateChecks({
  form,
  mistakes,
  onChange,
}: {
  form: GateForm;
  mistakes: Partial<Record<keyof GateForm, string>>;
  onChange(change: Partial<GateForm>): void;
}) {
  const threshold = (name: "failUnder" | "tolerance" | "minEffect", label: string, isOn: boolean) => (
    <TextField
      label={label}
      isLabelHidden
      inputMode="decimal"
      disabled={!isOn}
      value={form[name]}
      error={mistakes[name] ?? null}
      onChange={({ target }) => onChange({ [name]: target.value })}
    />
  );
  return (
    <fieldset className="m-0 flex flex-col gap-3 border-0 p-0">
      <legend className="mb-2 p-0 text-sm font-medium">Passes when</legend>
      <Check
        label="the mean rating is at least"
        isOn={form.hasFloor}
        onToggle={(hasFloor) => onChange({ hasFloor })}
        threshold={threshold("failUnder", "Least mean rating", form.hasFloor)}
      />
      <Check
        label="the mean is not below the baseline's by more than"
        isOn={form.hasTolerance}
        onToggle={(hasTolerance) => onChange({ hasTolerance })}
        threshold={threshold("tolerance", "Tolerance", form.hasTolerance)}
      />
      <Check
        label="case by case it did not regress by"
        isOn={form.isPaired}
        onToggle={(isPaired) => onChange({ isPaired })}
        threshold={threshold("minEffect", "Least difference that matters", form.isPaired)}
      />
      {form.isPaired && (
        <div className="pl-6">
          <CheckField
            label="“cannot tell” fails, too"
            checked={form.isStrict}
            onChange={({ target }) => onChange({ isStrict: target.checked })}
          />
        </div>
      )}
    </fieldset>
  );
}

function Check({
  label,
  isOn,
  onToggle,
  threshold,
}: {
  label: string;
  isOn: boolean;
  onToggle(isOn: boolean): void;
  threshold: ReactNode;
}) {
  return (
    <div className="flex items-start justify-between gap-3">
      <div className="pt-1.5">
        <CheckField label={label} checked={isOn} onChange={({ target }) => onToggle(target.checked)} />
      </div>
      <div className="w-20 shrink-0">{threshold}</div>
    </div>
  );
}
