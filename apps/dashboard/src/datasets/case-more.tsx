import { SelectField, TextArea, TextField } from "../ui/field.tsx";
import { type CaseFields, fieldLabels, variantsMost } from "./case-fields.ts";

const modes = {
  strict: "in this order, no others",
  unordered: "in any order, no others",
  subset: "no others than these",
  superset: "at least these",
} as const;

const quiet: readonly (keyof CaseFields)[] = ["guideline", "context", "expectedContext", "tools", "variants"];

/** What graders look at besides the expected answer, and where the case is sorted. */
export function CaseMore({ fields, set }: { fields: CaseFields; set(change: Partial<CaseFields>): void }) {
  const text = (name: keyof CaseFields) => ({
    label: fieldLabels[name],
    value: fields[name],
    onChange: (event: { target: { value: string } }) => set({ [name]: event.target.value }),
  });
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField {...text("split")} hint="Such as dev or test." />
        <TextField {...text("tags")} hint="Between commas." />
      </div>
      <details open={quiet.some((name) => fields[name] !== "") || undefined}>
        <summary className="cursor-pointer text-soft">Guideline, tools, context, variants</summary>
        <div className="mt-3 flex flex-col gap-4">
          <TextArea {...text("guideline")} rows={2} hint="A word to the judge, for this case only." />
          <div className="grid gap-4 sm:grid-cols-2">
            <TextArea {...text("tools")} rows={3} hint="One on each line. Graded by the trajectory match." />
            <SelectField {...text("toolsMode")} disabled={fields.tools.trim() === ""}>
              {Object.entries(modes).map(([mode, label]) => (
                <option key={mode} value={mode}>
                  {label}
                </option>
              ))}
            </SelectField>
          </div>
          <TextArea {...text("context")} rows={3} hint="Used where the agent retrieved nothing." />
          <TextArea {...text("expectedContext")} rows={3} hint="Graded by the context match." />
          <TextField
            {...text("variants")}
            type="number"
            min={0}
            max={variantsMost}
            hint="Paraphrases that are made when a run starts. Empty is none."
          />
        </div>
      </details>
    </>
  );
}
