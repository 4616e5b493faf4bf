import { CheckField, TextArea, TextField } from "../ui/field.tsx";
import { Section } from "../ui/page.tsx";
import { metrics, type SettingsFields, settingLabels } from "./settings-fields.ts";

type Named<Kind> = {
  [Name in keyof SettingsFields]: SettingsFields[Name] extends Kind ? Name : never;
}[keyof SettingsFields];

/** The controls of a dataset's settings. */
export function SettingsControls({
  fields,
  set,
}: {
  fields: SettingsFields;
  set(change: Partial<SettingsFields>): void;
}) {
  const text = (name: Named<string>) => ({
    label: settingLabels[name],
    value: fields[name],
    onChange: (event: { target: { value: string } }) => set({ [name]: event.target.value }),
  });
  const check = (name: Named<boolean>) => ({
    label: settingLabels[name],
    checked: fields[name],
    onChange: (event: { target: { checked: boolean } }) => set({ [name]: event.target.checked }),
  });
  return (
    <>
      <div className="flex flex-col gap-4">
        <TextField {...text("name")} required />
        <TextArea {...text("description")} rows={2} />
      </div>
      <Section title="Grading">
        <div className="flex flex-col gap-4">
          <TextArea {...text("evaluationCriteria")} rows={3} hint="What the judge looks at." />
          <div className="grid gap-4 md:grid-cols-2">
            <TextArea {...text("acceptanceCriteria")} rows={3} />
            <TextArea {...text("rejectionCriteria")} rows={3} />
          </div>
          <div className="grid gap-4 md:grid-cols-2">
            <TextField {...text("numberOfRequests")} type="number" min={1} max={20} />
            <fieldset className="m-0 flex flex-wrap gap-x-5 gap-y-2 border-0 p-0">
              <legend className="mb-1 p-0 text-sm font-medium">Similarity to the expected answer</legend>
              {(Object.keys(metrics) as (keyof typeof metrics)[]).map((name) => (
                <CheckField key={name} {...check(name)} />
              ))}
            </fieldset>
          </div>
        </div>
      </Section>
      <Section title="Pipelines">
        <div className="flex flex-col gap-4">
          <CheckField {...check("ciEnabled")} />
          <div className="grid gap-4 md:grid-cols-2">
            <TextField {...text("passRatePercent")} inputMode="decimal" disabled={!fields.ciEnabled} />
            <TextField {...text("ratingThreshold")} inputMode="decimal" disabled={!fields.ciEnabled} hint="0 to 10." />
          </div>
          <CheckField {...check("exposeTestInputs")} disabled={!fields.ciEnabled} />
          <CheckField {...check("failFast")} disabled={!fields.ciEnabled} />
        </div>
      </Section>
    </>
  );
}
