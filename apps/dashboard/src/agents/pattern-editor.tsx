import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { bodyOf } from "../api/client.ts";
import { EditorPanel } from "../blocks/editor-panel.tsx";
import { differs, useUnsavedGuard } from "../blocks/leave-guard.tsx";
import { SeverityField } from "../blocks/severity-field.tsx";
import { type Pattern, patternsQuery } from "../blocks/watching-queries.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { CheckField, SelectField, TextField } from "../ui/field.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { SomeAgents } from "./agent-choice.tsx";
import { PatternConditions } from "./pattern-conditions.tsx";
import { bodyOfPattern, draftOfPattern, emptyPattern, missingOfPattern, type PatternDraft } from "./pattern-draft.ts";
import { PatternTrial } from "./pattern-trial.tsx";

/** Writes a pattern, tries it on recent traces, and saves it. Without `pattern` a new one, of `agentId` where it is given. */
export function PatternEditor({
  pattern,
  agentId,
  onClose,
}: {
  pattern: Pattern | null;
  agentId?: string | undefined;
  onClose(): void;
}) {
  const api = useApi();
  const queries = useQueryClient();
  const { say } = useToasts();
  const stored = pattern === null ? null : draftOfPattern(pattern);
  // Only what the user changed: the other fields follow what others save.
  const [changes, setChanges] = useState<Partial<PatternDraft>>({});
  const initial = stored ?? { ...emptyPattern, agentIds: agentId === undefined ? [] : [agentId] };
  const draft: PatternDraft = { ...initial, ...changes };
  const unsaved = useUnsavedGuard(differs(draft, initial));
  const [isDeleting, setDeleting] = useState(false);
  const missing = missingOfPattern(draft);
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: patternsQuery(api).queryKey });
  const save = useMutation({
    mutationFn: async () => {
      const body = bodyOfPattern(draft, stored);
      if (pattern === null) return bodyOf(api.POST("/api/v1/monitor/patterns", { body }));
      const params = { path: { patternId: pattern._id } };
      return bodyOf(api.PUT("/api/v1/monitor/patterns/{patternId}", { params, body }));
    },
    onSuccess: async () => {
      await refresh();
      say(`The pattern ${draft.name.trim()} is saved.`);
      unsaved.release();
      onClose();
    },
  });
  async function remove(): Promise<void> {
    if (pattern === null) return;
    await api.DELETE("/api/v1/monitor/patterns/{patternId}", { params: { path: { patternId: pattern._id } } });
    await refresh();
    say(`The pattern ${pattern.name} is deleted.`);
    unsaved.release();
    onClose();
  }
  const set = (change: Partial<PatternDraft>): void => setChanges({ ...changes, ...change });
  return (
    <EditorPanel
      title={pattern === null ? "New pattern" : pattern.name}
      onClose={onClose}
      onSave={() => save.mutate()}
      saveLabel={pattern === null ? "Create the pattern" : "Save"}
      isBusy={save.isPending}
      missing={missing}
      problem={save.error}
      further={
        pattern !== null && (
          <Button look="danger" onClick={() => setDeleting(true)}>
            Delete
          </Button>
        )
      }
    >
      <TextField
        label="Name"
        autoFocus={pattern === null}
        value={draft.name}
        onChange={({ target }) => set({ name: target.value })}
      />
      <PatternConditions draft={draft} onChange={({ conditions }) => set({ conditions })} />
      <PatternTrial draft={draft} missing={missing === "Give it a name." ? undefined : missing} />
      <PatternFacts draft={draft} set={set} />
      {unsaved.guard}
      {pattern !== null && (
        <ConfirmDialog
          isOpen={isDeleting}
          onClose={() => setDeleting(false)}
          title={`Delete the pattern ${pattern.name}?`}
          verb="Delete 1 pattern"
          onConfirm={remove}
        >
          It no longer checks new traces. The signals it raised stay.
        </ConfirmDialog>
      )}
    </EditorPanel>
  );
}

/** The effect of a match, and the agents whose traces are checked. */
function PatternFacts({ draft, set }: { draft: PatternDraft; set(change: Partial<PatternDraft>): void }) {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-3">
        <SelectField
          label="A match is"
          value={draft.polarity}
          onChange={({ target }) => set({ polarity: target.value as PatternDraft["polarity"] })}
        >
          <option value="failure">a failure</option>
          <option value="proper">fine, only counted</option>
        </SelectField>
        <SeverityField label="Severity" value={draft.severity} onChange={(severity) => set({ severity })} />
        <TextField
          label="Traces looked at"
          hint="Percent, drawn at random"
          type="number"
          min={0}
          max={100}
          step="any"
          value={draft.samplePercent}
          onChange={({ target }) => set({ samplePercent: target.value })}
        />
      </div>
      <SomeAgents legend="Agents" chosen={draft.agentIds} onChange={(agentIds) => set({ agentIds })} />
      <TextField
        label="Description"
        hint="Shown beside its signals."
        value={draft.description}
        onChange={({ target }) => set({ description: target.value })}
      />
      <CheckField
        label="Look at new traces"
        checked={draft.enabled}
        onChange={({ target }) => set({ enabled: target.checked })}
      />
    </>
  );
}
