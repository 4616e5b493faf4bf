import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { CaseEditor } from "../blocks/case-editor.tsx";
import { EditorPanel } from "../blocks/editor-panel.tsx";
import { LeaveGuard } from "../blocks/leave-guard.tsx";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { CaseConflict } from "./case-conflict.tsx";
import { type CaseFields, mistakeOf, questionOf } from "./case-fields.ts";
import { CaseMore } from "./case-more.tsx";
import { putCase } from "./change-case.ts";
import { type Dataset, datasetQuery, datasetsKey } from "./queries.ts";
import { useCaseDraft } from "./use-case-draft.ts";

/** Edits a case, or a new one (`index` null). The input is kept until it is saved or discarded. */
export function EditCasePanel({
  dataset,
  index,
  onClose,
  onSaved,
}: {
  dataset: Dataset;
  index: number | null;
  onClose(): void;
  onSaved(index: number): void;
}) {
  const api = useApi();
  const queries = useQueryClient();
  const { say } = useToasts();
  const draft = useCaseDraft(api.projectId, dataset, index);
  const { fields, base, place, conflict } = draft;
  const isSaved = useRef(false);
  const save = useMutation({
    mutationFn: ({ isNew }: { isNew: boolean }) => {
      const change = isNew
        ? { dataset, base: null, index: dataset.questions.length }
        : { dataset, base, index: place ?? 0 };
      return putCase(api, queries, change, questionOf(fields, base));
    },
    onSuccess: ({ case: question, questionIndex, version }) => {
      queries.setQueryData(
        datasetQuery(api, dataset._id).queryKey,
        (before) => before && { ...before, version, questions: before.questions.toSpliced(questionIndex, 1, question) },
      );
      isSaved.current = true;
      draft.forget();
      onSaved(questionIndex);
      say(base === null ? `Case ${questionIndex} is added.` : `Case ${questionIndex} is saved.`);
      void queries.invalidateQueries({ queryKey: datasetsKey(api) });
    },
  });
  const set = (change: Partial<CaseFields>): void => draft.set(change);
  const isStale = conflict !== null && !save.isPending && !save.isSuccess;
  const missing = isStale
    ? "Choose first what to keep."
    : (mistakeOf(fields) ?? (draft.isChanged ? undefined : "Nothing is changed."));
  return (
    <EditorPanel
      title={index === null ? "New case" : `Edit case ${index}`}
      onClose={onClose}
      onSave={() => save.mutate({ isNew: base === null })}
      saveLabel={index === null ? "Add the case" : "Save"}
      isBusy={save.isPending}
      missing={missing}
      problem={isStale ? null : save.error}
      further={
        draft.isChanged &&
        !isStale && (
          <Button look="ghost" onClick={draft.discard}>
            Discard changes
          </Button>
        )
      }
    >
      {draft.isRestored && draft.isChanged && !isStale && (
        <p className="m-0 rounded-sm bg-warn-ground px-3 py-2">
          This is your draft from an earlier visit. It is kept in this browser only.
        </p>
      )}
      {isStale ? (
        <CaseConflict
          mine={fields}
          {...conflict}
          isBusy={save.isPending}
          onResolve={draft.resolve}
          onAddNew={() => save.mutate({ isNew: true })}
          onDiscard={draft.discard}
        />
      ) : (
        <>
          <CaseEditor
            draft={{ ...fields, actualOutput: null, error: null }}
            position={null}
            note={null}
            isNew={index === null && fields.query === ""}
            onChange={set}
          />
          <CaseMore fields={fields} set={set} />
        </>
      )}
      <LeaveGuard
        isChanged={() => draft.isChanged && !isSaved.current}
        staysOn={({ edit, case: shown }) => (index === null ? edit === "new" : edit === "case" && shown === index)}
        onDiscard={draft.discard}
      />
    </EditorPanel>
  );
}
