import { useQuery } from "@tanstack/react-query";
import { SeverityField } from "../blocks/severity-field.tsx";
import { useApi } from "../shell/session.tsx";
import { CheckField, SelectField, TextField } from "../ui/field.tsx";
import { Section } from "../ui/page.tsx";
import type { Draft } from "./draft.ts";
import { agentNamesQuery } from "./queries.ts";
import type { FieldsProps } from "./rubric-fields.tsx";

/** The settings of a judge on live traffic. Changing them creates no version. */
export function LiveFields({ draft, set, mistakes }: FieldsProps) {
  const isLive = draft.live !== "no";
  return (
    <Section title="Live traffic">
      <div className="flex min-w-0 flex-col gap-4">
        <div className="grid gap-4 md:grid-cols-2">
          <SelectField
            label="Rates live traffic"
            value={draft.live}
            onChange={(event) => set({ live: event.target.value as Draft["live"] })}
          >
            <option value="no">No, it grades runs only</option>
            <option value="yes">Yes</option>
            <option value="paused">Paused</option>
          </SelectField>
          {isLive && (
            <SelectField
              label="What"
              value={draft.scope}
              onChange={(event) => set({ scope: event.target.value as Draft["scope"] })}
            >
              <option value="trace">Each trace</option>
              <option value="session">Sessions as a whole</option>
            </SelectField>
          )}
        </div>
        {isLive && (
          <>
            <div className="grid gap-4 md:grid-cols-3">
              <TextField
                label="Share, in percent"
                inputMode="decimal"
                hint="Each rating is a call to the model."
                value={draft.samplePercent}
                onChange={(event) => set({ samplePercent: event.target.value })}
                error={mistakes.samplePercent}
              />
              <TextField
                label="Threshold"
                inputMode="decimal"
                hint="A rating below it fails and opens a signal. Empty: never."
                value={draft.alertThreshold}
                onChange={(event) => set({ alertThreshold: event.target.value })}
                error={mistakes.alertThreshold}
              />
              <SeverityField
                label="Severity of its signals"
                value={draft.severity}
                onChange={(severity) => set({ severity })}
              />
            </div>
            {draft.scope === "session" && (
              <div className="md:w-1/3 md:pr-3">
                <TextField
                  label="Seconds of silence"
                  inputMode="numeric"
                  hint="After so long a session is rated."
                  value={draft.idleSeconds}
                  onChange={(event) => set({ idleSeconds: event.target.value })}
                  error={mistakes.idleSeconds}
                />
              </div>
            )}
            <Agents draft={draft} set={set} />
          </>
        )}
      </div>
    </Section>
  );
}

function Agents({ draft, set }: Pick<FieldsProps, "draft" | "set">) {
  const names = useQuery(agentNamesQuery(useApi())).data ?? new Map<string, string>();
  // A deleted agent stays visible, so that it can be removed.
  const ids = [...new Set([...names.keys(), ...draft.agentIds])];
  return (
    <fieldset className="m-0 min-w-0 border-0 p-0">
      <legend className="mb-1.5 p-0 text-sm font-medium">Agents</legend>
      <p className="m-0 mb-2 text-xs text-faint">
        {draft.agentIds.length === 0 ? "All agents. Choose some to rate only those." : "Only the chosen ones."}
      </p>
      <div className="grid gap-x-6 gap-y-1.5 sm:grid-cols-2 lg:grid-cols-3">
        {ids.map((id) => (
          <CheckField
            key={id}
            label={names.get(id) ?? id}
            checked={draft.agentIds.includes(id)}
            onChange={(event) =>
              set({
                agentIds: event.target.checked
                  ? [...draft.agentIds, id]
                  : draft.agentIds.filter((chosen) => chosen !== id),
              })
            }
          />
        ))}
      </div>
    </fieldset>
  );
}
