import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useApi } from "../shell/session.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { deleteCase } from "./change-case.ts";
import { type Dataset, datasetsKey, type Question } from "./queries.ts";

/** Asks before a case goes, in its own words. */
export function DeleteCaseDialog({
  dataset,
  index,
  question,
  onClose,
  onDeleted,
}: {
  dataset: Dataset;
  index: number;
  question: Question;
  onClose(): void;
  onDeleted(): void;
}) {
  const api = useApi();
  const queries = useQueryClient();
  const { say } = useToasts();
  // Deletes the case that was visible when the dialog opened.
  const [read] = useState({ dataset, base: question, index });
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete case ${index}?`}
      verb="Delete 1 case"
      onConfirm={async () => {
        await deleteCase(api, queries, read);
        onDeleted();
        await queries.invalidateQueries({ queryKey: datasetsKey(api) });
        say(`Case ${index} is deleted.`);
      }}
    >
      <blockquote className="m-0 border-l-2 border-line pl-3 break-words line-clamp-4">
        {read.base.main_question.query}
      </blockquote>
      <p className="m-0 mt-3">The cases behind it move up. Earlier versions and runs keep it.</p>
    </ConfirmDialog>
  );
}
