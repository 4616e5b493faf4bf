import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { bodyOf } from "../api/client.ts";
import { differs } from "../blocks/leave-guard.tsx";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { ProblemLine } from "../ui/states.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { ConnectionTest } from "./connection-test.tsx";
import { bodyOfDraft, type DraftErrors, draftErrors, draftOf, emptyDraft, type ModelDraft } from "./price-draft.ts";
import { providers } from "./providers.ts";
import type { PricedModel } from "./queries.ts";

/** The edited model: a stored one, or a new one whose name may be given. */
export type Edited = { model: PricedModel } | { newId: string };

/** Adds a model or changes its price. Input is kept if the API refuses it. */
export function ModelDialog({ edited, onClose }: { edited: Edited; onClose(): void }) {
  const api = useApi();
  const queries = useQueryClient();
  const { say } = useToasts();
  const formId = useId();
  const stored = "model" in edited ? edited.model : null;
  const [initial] = useState<ModelDraft>(() => ("model" in edited ? draftOf(edited.model) : emptyDraft(edited.newId)));
  const [draft, setDraft] = useState(initial);
  const [isTried, setTried] = useState(false);
  const errors = isTried ? draftErrors(draft) : {};
  const save = useMutation({
    mutationFn: () => {
      const body = bodyOfDraft(draft);
      const id = draft.id.trim();
      return stored === null
        ? bodyOf(api.POST("/api/v1/agent-monitoring/portability/models", { body: { id, ...body } }))
        : bodyOf(
            api.PUT("/api/v1/agent-monitoring/portability/models/{modelId}", {
              params: { path: { modelId: stored.id } },
              body,
            }),
          );
    },
    onSuccess: ({ model }) => {
      say(`${model.label}: price stored. Costs are counted with it from now on.`);
      void queries.invalidateQueries({ queryKey: [api.projectId] });
      onClose();
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    setTried(true);
    if (Object.keys(draftErrors(draft)).length === 0) save.mutate();
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      isChanged={differs(draft, initial)}
      title={stored === null ? "Add a model" : stored.label}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} look="primary" isBusy={save.isPending}>
            {stored === null ? "Add the model" : "Store"}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-4" noValidate>
        <ModelFields draft={draft} stored={stored} errors={errors} onChange={setDraft} />
        {save.error !== null && <ProblemLine problem={save.error} />}
      </form>
    </Dialog>
  );
}

interface FieldsProps {
  draft: ModelDraft;
  stored: PricedModel | null;
  errors: DraftErrors;
  onChange(draft: ModelDraft): void;
}

function ModelFields({ draft, stored, errors, onChange }: FieldsProps) {
  const text = (field: Exclude<keyof ModelDraft, "provider">) => ({
    value: draft[field],
    error: errors[field],
    onChange: (event: { target: { value: string } }) => onChange({ ...draft, [field]: event.target.value }),
  });
  return (
    <>
      {stored === null && (
        <TextField
          label="Model"
          hint="Exactly as traces and the provider name it."
          placeholder="gpt-4.1-mini"
          spellCheck={false}
          {...text("id")}
        />
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Name" {...text("label")} />
        <SelectField
          label="Called at"
          value={draft.provider}
          onChange={(event) => onChange({ ...draft, provider: event.target.value as ModelDraft["provider"] })}
        >
          {providers.map(({ key, name }) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
          <option value="custom">Own endpoint</option>
        </SelectField>
      </div>
      <fieldset className="m-0 grid grid-cols-2 gap-4 border-0 p-0">
        <legend className="mb-2 p-0 text-xs text-faint">US dollars per million tokens</legend>
        <TextField label="Input" inputMode="decimal" {...text("input")} />
        <TextField label="Output" inputMode="decimal" {...text("output")} />
        <TextField label="Cache read" hint="Empty: as input" inputMode="decimal" {...text("cacheRead")} />
        <TextField label="Cache write" hint="Empty: as input" inputMode="decimal" {...text("cacheWrite")} />
      </fieldset>
      {draft.provider === "custom" && (
        <>
          <TextField
            label="Address"
            hint="An OpenAI-compatible endpoint that the judge can reach."
            placeholder="https://models.example.org/v1"
            spellCheck={false}
            {...text("baseUrl")}
          />
          <TextField
            label="Key of the endpoint"
            hint={stored?.apiKeyMasked == null ? "Where it asks for one." : `Empty keeps ${stored.apiKeyMasked}.`}
            type="password"
            autoComplete="off"
            {...text("apiKey")}
          />
          <ConnectionTest draft={draft} />
        </>
      )}
    </>
  );
}
