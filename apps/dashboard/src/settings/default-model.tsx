import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { bodyOf } from "../api/client.ts";
import { useAdministers } from "../shell/role.ts";
import { useApi } from "../shell/session.tsx";
import { SelectField } from "../ui/field.tsx";
import { Section } from "../ui/page.tsx";
import { Loaded, ProblemLine, Skeleton } from "../ui/states.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { modelsQuery, settingsQuery } from "./queries.ts";

/** The model of judges if neither the grading config nor the judge names one. */
export function DefaultModel() {
  const api = useApi();
  const queries = useQueryClient();
  const { say } = useToasts();
  const { may, why } = useAdministers();
  const settings = useQuery(settingsQuery(api));
  const models = useQuery(modelsQuery(api));
  const choose = useMutation({
    mutationFn: (model: string | null) =>
      bodyOf(api.PUT("/api/v1/agent-monitoring/settings/platform-model", { body: { model } })),
    onSuccess: ({ platformModel }) => {
      say(platformModel === null ? "Back to the default model." : `${platformModel} is asked from now on.`);
      return queries.invalidateQueries({ queryKey: settingsQuery(api).queryKey });
    },
  });
  return (
    <Section title="Judge model" aside="asked where a judge names no model of its own">
      <Loaded query={settings} skeleton={<Skeleton rows={1} />}>
        {({ platformModel, platformModelDefault }) => (
          <div className="max-w-sm">
            <SelectField
              label="Model"
              isLabelHidden
              disabled={!may || choose.isPending}
              value={(choose.isPending ? choose.variables : platformModel) ?? ""}
              hint={why}
              onChange={(event) => choose.mutate(event.target.value || null)}
            >
              <option value="">The default: {platformModelDefault}</option>
              {platformModel !== null && !models.data?.models.some(({ id }) => id === platformModel) && (
                <option value={platformModel}>{platformModel}</option>
              )}
              {models.data?.models.map(({ id, label }) => (
                <option key={id} value={id}>
                  {label} ({id})
                </option>
              ))}
            </SelectField>
            {choose.error !== null && <ProblemLine problem={choose.error} className="mt-2" />}
          </div>
        )}
      </Loaded>
    </Section>
  );
}
