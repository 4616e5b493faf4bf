import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useId, useState } from "react";
import { bodyOf } from "../api/client.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextArea, TextField } from "../ui/field.tsx";
import { ProblemLine } from "../ui/states.tsx";
import { datasetsKey } from "./queries.ts";

/** Makes an empty dataset and opens it. */
export function CreateDatasetDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const api = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const formId = useId();
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const create = useMutation({
    mutationFn: () => {
      const body = { name: name.trim(), ...(description.trim() !== "" && { description: description.trim() }) };
      return bodyOf(api.POST("/api/v1/custom-agent-evaluations/datasets", { body }));
    },
    onSuccess: async ({ _id: datasetId }) => {
      setName("");
      setDescription("");
      onClose();
      void queries.invalidateQueries({ queryKey: datasetsKey(api) });
      await navigate({ to: "/p/$projectId/datasets/$datasetId", params: { projectId: api.projectId, datasetId } });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      isChanged={name !== "" || description !== ""}
      title="New dataset"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={formId} isBusy={create.isPending} disabled={name.trim() === ""}>
            Create dataset
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
        <TextField label="Name" required value={name} onChange={(event) => setName(event.target.value)} />
        <TextArea
          label="Description"
          hint="What its cases have in common."
          rows={3}
          value={description}
          onChange={(event) => setDescription(event.target.value)}
        />
        {create.error !== null && <ProblemLine problem={create.error} />}
      </form>
    </Dialog>
  );
}
