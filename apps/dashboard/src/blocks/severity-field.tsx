import type { ReactNode } from "react";
import { SelectField } from "../ui/field.tsx";
import { type Severity, severities } from "./severities.ts";

export function SeverityField({
  label,
  hint,
  value,
  onChange,
}: {
  label: string;
  hint?: ReactNode;
  value: Severity;
  onChange(severity: Severity): void;
}) {
  return (
    <SelectField label={label} hint={hint} value={value} onChange={({ target }) => onChange(target.value as Severity)}>
      {severities.map((severity) => (
        <option key={severity}>{severity}</option>
      ))}
    </SelectField>
  );
}
