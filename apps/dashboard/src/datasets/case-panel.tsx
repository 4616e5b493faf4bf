import { useState } from "react";
import { IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { EditIcon, TrashIcon } from "../ui/icons.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { SidePanel } from "../ui/side-panel.tsx";
import { CaseDetails } from "./case-details.tsx";
import { DeleteCaseDialog } from "./delete-case-dialog.tsx";
import type { Dataset, Question } from "./queries.ts";

/** One case, whole. */
export function CasePanel({
  dataset,
  index,
  question,
  onEdit,
  onClose,
}: {
  dataset: Dataset;
  index: number;
  question: Question;
  onEdit(): void;
  onClose(): void;
}) {
  const [isDeleting, setDeleting] = useState(false);
  useShortcuts("Case", [
    { keys: "e", label: "Edit the case", run: onEdit },
    { keys: "Delete", label: "Delete the case", run: () => setDeleting(true) },
  ]);
  return (
    <SidePanel
      title={`Case ${index}`}
      onClose={onClose}
      actions={
        <>
          <IconButton label="Edit the case" onClick={onEdit}>
            <EditIcon />
          </IconButton>
          <CopyButton text={JSON.stringify(question, null, 2)} name="the case as JSON" />
          <IconButton label="Delete the case" onClick={() => setDeleting(true)}>
            <TrashIcon />
          </IconButton>
        </>
      }
    >
      <CaseDetails question={question} />
      {isDeleting && (
        <DeleteCaseDialog {...{ dataset, index, question }} onClose={() => setDeleting(false)} onDeleted={onClose} />
      )}
    </SidePanel>
  );
}
