import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { bodyOf } from "../api/client.ts";
import { useUnsavedGuard } from "../blocks/leave-guard.tsx";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { SelectField } from "../ui/field.tsx";
import { ProblemLine } from "../ui/states.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { ImportChanges, importSentence } from "./import-changes.tsx";
import { type ImportFormat, rowsBody } from "./import-format.ts";
import { ImportSource } from "./import-source.tsx";
import { type Dataset, datasetsKey } from "./queries.ts";

interface Sent {
  text: string;
  format: ImportFormat;
  mode: "add" | "replace";
}

/** Imports rows into a dataset. The changes are shown first, and only these are then stored. */
export function ImportCasesDialog({ dataset, onClose }: { dataset: Dataset; onClose(): void }) {
  const api = useApi();
  const queries = useQueryClient();
  const { say } = useToasts();
  const [sent, setSent] = useState<Sent>({ text: "", format: "csv", mode: "add" });
  const isChanged = sent.text !== "";
  const unsaved = useUnsavedGuard(isChanged);
  const send = (rows: Sent, query: { dryRun: "true" } | { version: string }) =>
    bodyOf(
      api.POST("/api/v1/custom-agent-evaluations/datasets/{datasetId}/import", {
        params: { path: { datasetId: dataset._id }, query: { mode: rows.mode, ...query } },
        ...rowsBody(rows),
      }),
    );
  const check = useMutation({ mutationFn: (rows: Sent) => send(rows, { dryRun: "true" }) });
  const store = useMutation({
    mutationFn: ({ version }: { version: number }) => send(sent, { version: String(version) }),
    onSuccess: async (stored) => {
      await queries.invalidateQueries({ queryKey: datasetsKey(api) });
      onClose();
      say(importSentence(stored));
    },
    // The dataset changed since the rows were checked: they have to be checked again.
    onError: () => check.reset(),
  });
  const change = (next: Partial<Sent>): Sent => {
    const changed = { ...sent, ...next };
    setSent(changed);
    check.reset();
    store.reset();
    return changed;
  };
  const preview = check.data;
  const isNoChange = preview !== undefined && preview.added + preview.changed + preview.removed === 0;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      isChanged={isChanged}
      title={`Import cases into ${dataset.name}`}
      width="wide"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          {preview === undefined ? (
            <Button
              look="primary"
              isBusy={check.isPending}
              disabled={sent.text.trim() === ""}
              onClick={() => {
                store.reset();
                check.mutate(sent);
              }}
            >
              Check the rows
            </Button>
          ) : (
            <Button
              look={preview.removed > 0 ? "danger" : "primary"}
              isBusy={store.isPending}
              disabled={isNoChange}
              {...(isNoChange && { hint: "The rows change nothing." })}
              onClick={() => store.mutate(preview)}
            >
              {sent.mode === "add" ? "Import" : "Replace the cases"}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <SelectField
          label="What the rows do"
          value={sent.mode}
          hint={
            sent.mode === "add"
              ? "A row with a question that the dataset has changes that case. What the row leaves out stays."
              : "The dataset has the rows as its cases, in their order. Earlier versions keep the others."
          }
          onChange={({ target }) => change({ mode: target.value as Sent["mode"] })}
        >
          <option value="add">They are added to the cases, or change them</option>
          <option value="replace">They replace all cases</option>
        </SelectField>
        <ImportSource {...sent} onChange={change} onFile={(_name, read) => check.mutate(change(read))} />
        {unsaved.guard}
        {check.error !== null && <ProblemLine problem={check.error} />}
        {preview !== undefined && <ImportChanges {...preview} />}
        {store.error !== null && <ProblemLine problem={store.error} />}
      </div>
    </Dialog>
  );
}
