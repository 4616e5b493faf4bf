import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { bodyOf } from "../api/client.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { ProblemLine } from "../ui/states.tsx";
import { organizationsQuery } from "./account.ts";
import { connectionQuery, useSession } from "./session.tsx";

/** Creates a project, in one of the caller's organizations if there are accounts, and opens it. */
export function NewProject({ onClose, onMade }: { onClose(): void; onMade(projectId: string): void }) {
  const { api, config } = useSession();
  const queries = useQueryClient();
  const formId = useId();
  const organizations = useQuery({ ...organizationsQuery, enabled: config.mode === "enabled" });
  const own = organizations.data?.organizations ?? [];
  const [name, setName] = useState("");
  const [organizationId, setOrganizationId] = useState(api.project.organizationId);
  const make = useMutation({
    mutationFn: () => {
      const body = { name: name.trim(), ...(organizationId !== null && { organizationId }) };
      return bodyOf(api.POST("/api/v1/projects", { body }));
    },
    onSuccess: async ({ project }) => {
      await queries.refetchQueries({ queryKey: connectionQuery.queryKey });
      onClose();
      onMade(project._id);
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (name.trim() !== "") make.mutate();
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      isChanged={name !== ""}
      title="New project"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} look="primary" isBusy={make.isPending} disabled={name.trim() === ""}>
            Make the project
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
        <p className="m-0 text-soft">
          A project has its own key. Traces, datasets and judges of one are not seen in another.
        </p>
        <TextField
          label="Name"
          maxLength={200}
          autoFocus
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        {own.length > 1 && (
          <SelectField
            label="Organization"
            value={organizationId ?? ""}
            onChange={(event) => setOrganizationId(event.target.value)}
          >
            {own.map((organization) => (
              <option key={organization._id} value={organization._id}>
                {organization.name}
              </option>
            ))}
          </SelectField>
        )}
        {make.error !== null && <ProblemLine problem={make.error} />}
      </form>
    </Dialog>
  );
}
