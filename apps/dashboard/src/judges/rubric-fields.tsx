import { useQuery } from "@tanstack/react-query";
import { useApi } from "../shell/session.tsx";
import { CheckField, SelectField, TextArea, TextField } from "../ui/field.tsx";
import type { Draft } from "./draft.ts";
import { judgeModelsQuery } from "./queries.ts";

export interface FieldsProps {
  draft: Draft;
  set(change: Partial<Draft>): void;
  mistakes: Partial<Record<keyof Draft, string>>;
}

/** The versioned part of a judge: its name, its criteria, its model. */
export function RubricFields({ draft, set, mistakes }: FieldsProps) {
  const models = useQuery(judgeModelsQuery(useApi())).data ?? [];
  const isListed = models.some(({ name }) => name === draft.judgeModel);
  const isNameless = draft.name !== "" || draft.evaluationCriteria !== "";
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <TextField
        label="Name"
        value={draft.name}
        maxLength={200}
        autoFocus={draft.name === ""}
        onChange={(event) => set({ name: event.target.value })}
        error={isNameless ? mistakes.name : undefined}
      />
      <TextField
        label="Description"
        hint="For people. The judge does not read it."
        value={draft.description}
        onChange={(event) => set({ description: event.target.value })}
      />
      <TextArea
        label="What is rated"
        hint="The criteria, from 0 to 10. Say what a 10, a 5 and a 0 look like."
        rows={6}
        value={draft.evaluationCriteria}
        onChange={(event) => set({ evaluationCriteria: event.target.value })}
      />
      <div className="grid gap-4 md:grid-cols-2">
        <TextArea
          label="Accept when"
          hint="What must hold for a good answer."
          rows={5}
          value={draft.acceptanceCriteria}
          onChange={(event) => set({ acceptanceCriteria: event.target.value })}
        />
        <TextArea
          label="Reject when"
          hint="What makes an answer bad, whatever else is in it."
          rows={5}
          value={draft.rejectionCriteria}
          onChange={(event) => set({ rejectionCriteria: event.target.value })}
        />
      </div>
      <div className="grid gap-4 md:grid-cols-2">
        <SelectField
          label="Model"
          value={draft.judgeModel}
          onChange={(event) => set({ judgeModel: event.target.value })}
        >
          <option value="">The installation's default</option>
          {draft.judgeModel !== "" && !isListed && <option value={draft.judgeModel}>{draft.judgeModel}</option>}
          {models.map(({ name, display }) => (
            <option key={name} value={name}>
              {display}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Sees of the trace"
          value={draft.toolContext}
          onChange={(event) => set({ toolContext: event.target.value as Draft["toolContext"] })}
        >
          <option value="none">Nothing: input and output alone</option>
          <option value="simple">Its steps</option>
          <option value="detailed">Its steps and the definitions of its tools</option>
        </SelectField>
      </div>
      <CheckField
        label="Needs an expected result"
        hint="Cases without one are skipped. Such a judge rates runs only."
        checked={draft.requiresExpected}
        onChange={(event) => set({ requiresExpected: event.target.checked })}
      />
      {mistakes.requiresExpected !== undefined && (
        <p role="alert" className="m-0 text-xs text-bad">
          {mistakes.requiresExpected}
        </p>
      )}
      <details open={draft.judgePrompt !== ""}>
        <summary className="text-sm font-medium">Own prompt template</summary>
        <div className="mt-2">
          <TextArea
            label="Prompt template"
            isLabelHidden
            hint={
              <>
                In place of the built-in one. <code>{"{input}"}</code>, <code>{"{output}"}</code>,{" "}
                <code>{"{expected}"}</code> and <code>{"{context}"}</code> are filled in.
              </>
            }
            rows={8}
            className="font-mono"
            value={draft.judgePrompt}
            onChange={(event) => set({ judgePrompt: event.target.value })}
          />
        </div>
      </details>
    </div>
  );
}
