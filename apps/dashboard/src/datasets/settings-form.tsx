import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { bodyOf } from "../api/client.ts";
import { ApiProblem } from "../api/problem.ts";
import { ConflictView } from "../blocks/conflict-view.tsx";
import { LeaveGuard } from "../blocks/leave-guard.tsx";
import { useSharedDraft } from "../blocks/use-shared-draft.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { ProblemLine } from "../ui/states.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { type Dataset, datasetQuery, datasetsKey } from "./queries.ts";
import { SettingsControls } from "./settings-controls.tsx";
import { bodyOfSettings, settingLabels, settingsMistake, settingsOf } from "./settings-fields.ts";

/** Edits how a dataset is called, graded and used by pipelines. Its cases stay as they are. */
export function SettingsForm({ dataset, onClose }: { dataset: Dataset; onClose(): void }) {
  const api = useApi();
  const queries = useQueryClient();
  const { say } = useToasts();
  const { questions: _questions, version: _version, ...current } = dataset;
  const draft = useSharedDraft({
    name: `${api.projectId}.${dataset._id}.settings`,
    current,
    fieldsOf: settingsOf,
    isSaved: (base) => JSON.stringify(settingsOf(base)) === JSON.stringify(settingsOf(current)),
  });
  const isSaved = useRef(false);
  const put = (read: Dataset) =>
    bodyOf(
      api.PUT("/api/v1/custom-agent-evaluations/datasets/{datasetId}", {
        params: { path: { datasetId: dataset._id }, query: { version: String(read.version) } },
        body: bodyOfSettings(draft.fields, read),
      }),
    );
  const save = useMutation({
    mutationFn: async () => {
      try {
        return await put(dataset);
      } catch (problem) {
        if (!(problem instanceof ApiProblem && problem.status === 409)) throw problem;
        // Where only cases changed the settings can still be saved, with the new cases.
        const fresh = await queries.fetchQuery({ ...datasetQuery(api, dataset._id), staleTime: 0 });
        if (JSON.stringify(settingsOf(fresh)) !== JSON.stringify(settingsOf(draft.base as Dataset))) throw problem;
        return put(fresh);
      }
    },
    onSuccess: (saved) => {
      queries.setQueryData(datasetQuery(api, dataset._id).queryKey, saved);
      isSaved.current = true;
      draft.forget();
      onClose();
      say("The settings are saved.");
      void queries.invalidateQueries({ queryKey: datasetsKey(api) });
    },
  });
  const isStale = draft.conflict !== null && !save.isPending && !save.isSuccess;
  const missing = settingsMistake(draft.fields) ?? (draft.isChanged ? undefined : "Nothing is changed.");
  return (
    <form
      className="flex flex-col gap-6 md:max-w-3xl"
      onSubmit={(event) => {
        event.preventDefault();
        if (missing === undefined && !save.isPending && !isStale) save.mutate();
      }}
    >
      {draft.conflict !== null && isStale ? (
        <ConflictView
          mine={draft.fields}
          theirs={settingsOf(draft.conflict.current)}
          merge={draft.conflict.merge}
          labels={settingLabels}
          what="The settings"
          onResolve={draft.resolve}
          onDiscard={draft.discard}
        />
      ) : (
        <>
          <SettingsControls fields={draft.fields} set={draft.set} />
          {save.error !== null && <ProblemLine problem={save.error} />}
          <div className="flex flex-wrap items-center gap-2 border-t border-line pt-4">
            <Button
              look="primary"
              type="submit"
              isBusy={save.isPending}
              disabled={missing !== undefined}
              {...(missing !== undefined && { hint: missing })}
            >
              Save
            </Button>
            <Button onClick={onClose}>Cancel</Button>
            <span className="text-faint">A change makes a new version. Runs keep the version they began with.</span>
          </div>
        </>
      )}
      <LeaveGuard
        isChanged={() => draft.isChanged && !isSaved.current}
        staysOn={({ tab, edit }) => tab === "settings" && edit === "settings"}
        onDiscard={draft.discard}
      />
    </form>
  );
}
