import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { bodyOf } from "../api/client.ts";
import { useUnsavedGuard } from "../blocks/leave-guard.tsx";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { countOf } from "../ui/format.ts";
import { ProblemLine } from "../ui/states.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { type ImportFormat, nameOfFile, rowsBody } from "./import-format.ts";
import { ImportPreview } from "./import-preview.tsx";
import { ImportSource } from "./import-source.tsx";
import { datasetsKey } from "./queries.ts";

/** A new dataset from a file or from pasted rows. Nothing is stored before the user has seen a preview. */
export function ImportDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const api = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { say } = useToasts();
  const [rows, setRows] = useState<{ text: string; format: ImportFormat }>({ text: "", format: "csv" });
  const [name, setName] = useState("");
  const isChanged = rows.text !== "" || name !== "";
  const unsaved = useUnsavedGuard(isChanged);
  const send = (dryRun: boolean, sent: typeof rows) =>
    api.POST("/api/v1/custom-agent-evaluations/datasets/import", {
      params: { query: { name: name.trim() || "Imported", ...(dryRun && { dryRun: "true" as const }) } },
      ...rowsBody(sent),
    });
  const check = useMutation({
    mutationFn: async (sent: typeof rows) => {
      const preview = await bodyOf(send(true, sent));
      if (!("cases" in preview)) throw new Error("The server stored the rows instead of showing them.");
      return preview;
    },
  });
  const store = useMutation({
    mutationFn: async () => {
      const stored = await bodyOf(send(false, rows));
      if (!("dataset" in stored)) throw new Error("The server showed the rows instead of storing them.");
      return stored;
    },
    onSuccess: async ({ dataset, imported }) => {
      unsaved.release();
      change({ text: "", format: "csv" });
      setName("");
      onClose();
      void queries.invalidateQueries({ queryKey: datasetsKey(api) });
      const params = { projectId: api.projectId, datasetId: dataset._id };
      await navigate({ to: "/p/$projectId/datasets/$datasetId", params });
      say(`${countOf(imported, "case")} imported into ${dataset.name}.`);
    },
  });
  const change = (next: typeof rows): void => {
    setRows(next);
    check.reset();
    store.reset();
  };
  const preview = check.data;
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      isChanged={isChanged}
      title="Import cases"
      width="wide"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          {preview === undefined ? (
            <Button
              look="primary"
              isBusy={check.isPending}
              disabled={rows.text.trim() === ""}
              onClick={() => check.mutate(rows)}
            >
              Check the rows
            </Button>
          ) : (
            <Button
              look="primary"
              isBusy={store.isPending}
              disabled={preview.imported === 0 || name.trim() === ""}
              {...(name.trim() === "" && { hint: "The new dataset needs a name." })}
              onClick={() => store.mutate()}
            >
              Import {countOf(preview.imported, "case")}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <TextField label="Name of the new dataset" value={name} onChange={(event) => setName(event.target.value)} />
        <ImportSource
          {...rows}
          onChange={change}
          onFile={(file, read) => {
            if (name === "") setName(nameOfFile(file));
            change(read);
            check.mutate(read);
          }}
        />
        {unsaved.guard}
        {check.error !== null && <ProblemLine problem={check.error} />}
        {preview !== undefined && <ImportPreview {...preview} />}
        {store.error !== null && <ProblemLine problem={store.error} />}
      </div>
    </Dialog>
  );
}
