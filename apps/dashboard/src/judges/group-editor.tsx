import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { bodyOf } from "../api/client.ts";
import { EditorPanel } from "../blocks/editor-panel.tsx";
import { differs, useUnsavedGuard } from "../blocks/leave-guard.tsx";
import { SeverityField } from "../blocks/severity-field.tsx";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { countOf } from "../ui/format.ts";
import { useToasts } from "../ui/toasts.tsx";
import { bodyOfGroup, draftOfGroup, emptyGroup, type GroupDraft, missingOfGroup } from "./group-draft.ts";
import { GroupMemberFields } from "./group-member-fields.tsx";
import type { Group, Judge } from "./queries.ts";

/** The form of a scorer group; without `group` a new one. */
export function GroupEditor({
  group,
  judges,
  onClose,
}: {
  group: Group | null;
  judges: readonly Judge[];
  onClose(): void;
}) {
  const api = useApi();
  const queries = useQueryClient();
  const { say } = useToasts();
  // Only what the user changed: the other fields follow what others save.
  const [changes, setChanges] = useState<Partial<GroupDraft>>({});
  const initial = group === null ? emptyGroup : draftOfGroup(group);
  const draft = { ...initial, ...changes };
  const unsaved = useUnsavedGuard(differs(draft, initial));
  const [isDeleting, setDeleting] = useState(false);
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: [api.projectId, "scorer-groups"] });
  const save = useMutation({
    mutationFn: () => {
      const body = bodyOfGroup(draft);
      if (group === null) return bodyOf(api.POST("/api/v1/agent-monitoring/scorer-groups", { body }));
      const params = { path: { scorerGroupId: group._id } };
      return bodyOf(api.PUT("/api/v1/agent-monitoring/scorer-groups/{scorerGroupId}", { params, body }));
    },
    onSuccess: async () => {
      await refresh();
      say(`The group ${draft.name.trim()} is saved.`);
      unsaved.release();
      onClose();
    },
  });
  async function remove(): Promise<void> {
    if (group === null) return;
    const params = { path: { scorerGroupId: group._id } };
    await bodyOf(api.DELETE("/api/v1/agent-monitoring/scorer-groups/{scorerGroupId}", { params }));
    await refresh();
    say(`The group ${group.name} is deleted.`);
    unsaved.release();
    onClose();
  }
  const set = (change: Partial<GroupDraft>): void => setChanges({ ...changes, ...change });
  return (
    <EditorPanel
      title={group === null ? "New group" : group.name}
      onClose={onClose}
      onSave={() => save.mutate()}
      saveLabel={group === null ? "Create the group" : "Save"}
      isBusy={save.isPending}
      missing={missingOfGroup(draft)}
      problem={save.error}
      further={
        group !== null && (
          <Button look="danger" onClick={() => setDeleting(true)}>
            Delete
          </Button>
        )
      }
    >
      <TextField
        label="Name"
        autoFocus={group === null}
        value={draft.name}
        onChange={({ target }) => set({ name: target.value })}
      />
      <TextField
        label="Description"
        value={draft.description}
        onChange={({ target }) => set({ description: target.value })}
      />
      <GroupMemberFields members={draft.members} judges={judges} onChange={(members) => set({ members })} />
      <Live draft={draft} set={set} />
      {unsaved.guard}
      {group !== null && (
        <ConfirmDialog
          isOpen={isDeleting}
          onClose={() => setDeleting(false)}
          title={`Delete the group ${group.name}?`}
          verb="Delete 1 group"
          onConfirm={remove}
        >
          It no longer rates anything. Its {countOf(group.members.length, "member")} and the ratings it gave stay.
        </ConfirmDialog>
      )}
    </EditorPanel>
  );
}

/** Whether it rates live traffic, and the threshold for a signal. */
function Live({ draft, set }: { draft: GroupDraft; set(change: Partial<GroupDraft>): void }) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <SelectField
        label="Rates live traffic"
        value={draft.live}
        onChange={({ target }) => set({ live: target.value as GroupDraft["live"] })}
      >
        <option value="no">No, it grades runs only</option>
        <option value="yes">Yes</option>
        <option value="paused">Paused</option>
      </SelectField>
      {draft.live !== "no" && (
        <>
          <TextField
            label="Share, in percent"
            inputMode="decimal"
            value={draft.samplePercent}
            onChange={({ target }) => set({ samplePercent: target.value })}
          />
          <TextField
            label="Threshold"
            inputMode="decimal"
            hint="A rating below it opens a signal. Empty: never."
            value={draft.alertThreshold}
            onChange={({ target }) => set({ alertThreshold: target.value })}
          />
          <SeverityField
            label="Severity of its signals"
            value={draft.severity}
            onChange={(severity) => set({ severity })}
          />
        </>
      )}
    </div>
  );
}
