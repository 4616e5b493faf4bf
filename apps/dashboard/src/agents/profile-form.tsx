import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { bodyOf } from "../api/client.ts";
import { useUnsavedGuard } from "../blocks/leave-guard.tsx";
import { type Agent, agentsQuery } from "../blocks/watching-queries.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { CheckField, TextArea, TextField } from "../ui/field.tsx";
import { ProblemLine } from "../ui/states.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { bodyOfProfile, changesBeside, draftOfProfile, mistakesOfProfile, type ProfileDraft } from "./profile-draft.ts";

/** The monitoring of one agent: whether it is on, for which signals, and who is notified. */
export function ProfileForm({ agent }: { agent: Agent }) {
  const api = useApi();
  const queries = useQueryClient();
  const { say } = useToasts();
  const stored = draftOfProfile(agent.monitoringProfile);
  const [changes, setChanges] = useState<Partial<ProfileDraft>>({});
  const draft = { ...stored, ...changes };
  const isChanged = Object.keys(changesBeside(changes, stored)).length > 0;
  const unsaved = useUnsavedGuard(isChanged);
  const mistakes = mistakesOfProfile(draft);
  const isRight = Object.keys(mistakes).length === 0;
  const save = useMutation({
    mutationFn: (sent: ProfileDraft) =>
      bodyOf(
        api.PUT("/api/v1/monitor/profiles/{agentId}", {
          params: { path: { agentId: agent._id } },
          body: bodyOfProfile(sent, stored),
        }),
      ),
    onSuccess: async (_answer, sent) => {
      await queries.invalidateQueries({ queryKey: agentsQuery(api).queryKey });
      setChanges((now) => changesBeside(now, sent));
      say(`How ${agent.name} is watched is saved.`);
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (isChanged && isRight && !save.isPending) save.mutate(draft);
  }
  const set = (change: Partial<ProfileDraft>): void => setChanges(changesBeside({ ...changes, ...change }, stored));
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-4 py-5 md:px-6">
      <form onSubmit={submit} className="flex max-w-2xl flex-col gap-5">
        <CheckField
          label="Watch this agent"
          hint="Off: no pattern, live judge, group or topic looks at its traces. They are stored all the same."
          checked={draft.enabled}
          onChange={({ target }) => set({ enabled: target.checked })}
        />
        <CheckField
          label="Look for failures"
          hint="Patterns whose match is a failure."
          checked={draft.failureDetectionEnabled}
          disabled={!draft.enabled}
          onChange={({ target }) => set({ failureDetectionEnabled: target.checked })}
        />
        <CheckField
          label="Count what is fine"
          hint="Patterns whose match is fine and only counted."
          checked={draft.infoDetectionEnabled}
          disabled={!draft.enabled}
          onChange={({ target }) => set({ infoDetectionEnabled: target.checked })}
        />
        {agent.monitoringProfile?.coverageMode === "sampled" && (
          <div className="max-w-48">
            <TextField
              label="Traces looked at"
              hint="Percent, drawn at random."
              type="number"
              min={0}
              max={100}
              step="any"
              value={draft.samplePercent}
              onChange={({ target }) => set({ samplePercent: target.value })}
              error={mistakes.percent ?? null}
            />
          </div>
        )}
        <TextArea
          label="Channels"
          hint="Further receivers of its signals: one webhook:https://... per line. The project's webhooks need not be listed."
          rows={3}
          className="font-mono"
          value={draft.channels}
          onChange={({ target }) => set({ channels: target.value })}
          error={mistakes.channels ?? null}
        />
        {unsaved.guard}
        {save.error !== null && <ProblemLine problem={save.error} />}
        <div className="flex gap-2">
          <Button look="primary" type="submit" isBusy={save.isPending} disabled={!isChanged || !isRight}>
            Save
          </Button>
          {isChanged && <Button onClick={() => setChanges({})}>Discard the changes</Button>}
        </div>
      </form>
    </div>
  );
}
