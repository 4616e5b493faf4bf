import { ConflictView } from "../blocks/conflict-view.tsx";
import type { MergedFields } from "../blocks/merge-fields.ts";
import { Button } from "../ui/button.tsx";
import { type CaseFields, fieldLabels, fieldsOf } from "./case-fields.ts";
import type { Question } from "./queries.ts";

/** Another user changed or deleted the case that is being edited. */
export function CaseConflict({
  mine,
  current,
  merge,
  isBusy,
  onResolve,
  onAddNew,
  onDiscard,
}: {
  mine: CaseFields;
  /** The case that has its number now; null where there is none. */
  current: Question | null;
  merge: MergedFields<CaseFields>;
  isBusy: boolean;
  onResolve(fields: CaseFields): void;
  onAddNew(): void;
  onDiscard(): void;
}) {
  const addNew = (
    <Button isBusy={isBusy} onClick={onAddNew}>
      Add yours as a new case
    </Button>
  );
  if (current !== null) {
    return (
      <ConflictView
        mine={mine}
        theirs={fieldsOf(current)}
        merge={merge}
        labels={fieldLabels}
        what="This case"
        onResolve={onResolve}
        onDiscard={onDiscard}
        further={addNew}
      />
    );
  }
  return (
    <section aria-label="Conflict" className="flex flex-col gap-4 rounded-md border border-warn p-3">
      <p role="alert" className="m-0">
        <b className="font-semibold">This case was deleted while you edited it.</b> What you typed is still here.
      </p>
      <p className="m-0 max-h-60 overflow-auto rounded-sm bg-panel p-2 break-words whitespace-pre-wrap">{mine.query}</p>
      <div className="flex flex-wrap gap-2">
        {addNew}
        <Button look="ghost" onClick={onDiscard}>
          Discard yours
        </Button>
      </div>
    </section>
  );
}
