import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { bodyOf } from "../api/client.ts";
import { useAdministers } from "../shell/role.ts";
import { connectionQuery, useSession } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { Section } from "../ui/page.tsx";
import { ProblemLine } from "../ui/states.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { DeleteProject } from "./delete-project.tsx";

/** The name of the project, and its deletion. */
export function ProjectTab() {
  return (
    <>
      <RenameProject />
      <DeleteProject />
    </>
  );
}

function RenameProject() {
  const { api } = useSession();
  const queries = useQueryClient();
  const { say } = useToasts();
  const { may, why } = useAdministers();
  const { name: stored } = api.project;
  const [name, setName] = useState(stored);
  const rename = useMutation({
    mutationFn: (next: string) =>
      bodyOf(
        api.PATCH("/api/v1/projects/{projectId}", {
          params: { path: { projectId: api.projectId } },
          body: { name: next },
        }),
      ),
    onSuccess: async ({ project }) => {
      await queries.refetchQueries({ queryKey: connectionQuery.queryKey });
      say(`The project is named ${project.name}.`);
    },
  });
  const isChanged = name.trim() !== "" && name.trim() !== stored;
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (isChanged && may) rename.mutate(name.trim());
  }
  return (
    <Section title="Name">
      <form onSubmit={submit} className="flex max-w-lg flex-wrap items-end gap-2">
        <div className="min-w-0 flex-1 basis-60">
          <TextField
            label="Name of the project"
            maxLength={200}
            disabled={!may}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        <Button type="submit" look="primary" isBusy={rename.isPending} disabled={!isChanged || !may} hint={why}>
          Rename
        </Button>
      </form>
      {rename.error !== null && <ProblemLine problem={rename.error} className="mt-2 max-w-lg" />}
    </Section>
  );
}
