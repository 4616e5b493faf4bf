import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { replaceKey } from "../api/connection.ts";
import { useAdministers } from "../shell/role.ts";
import { connectionQuery, useSession } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { countOf } from "../ui/format.ts";
import { Section } from "../ui/page.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { projectCountsQuery } from "./queries.ts";

/** Deletes the project after the user typed its name. Shows the reason if deletion is not possible. */
export function DeleteProject() {
  const { api, projects } = useSession();
  const { may, why } = useAdministers();
  const [isAsking, setAsking] = useState(false);
  const refused = api.project.isDefault
    ? "The default project cannot be deleted."
    : projects.length === 1
      ? "The only project cannot be deleted."
      : why;
  const isPossible = may && refused === undefined;
  return (
    <Section title="Delete the project">
      <p className="m-0 mb-3 max-w-2xl text-soft">
        Its key stops at once; traces, datasets, runs, judges and settings go. There is no way back but a backup.
        {api.project.isDefault && ` ${refused}`}
      </p>
      <Button look="danger" disabled={!isPossible} hint={refused} onClick={() => setAsking(true)}>
        Delete the project
      </Button>
      {isAsking && <ConfirmDeletion onClose={() => setAsking(false)} />}
    </Section>
  );
}

function ConfirmDeletion({ onClose }: { onClose(): void }) {
  const { api, projects } = useSession();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { say } = useToasts();
  const counts = useQuery(projectCountsQuery(api));
  const [typed, setTyped] = useState("");
  const { name } = api.project;

  async function remove(): Promise<void> {
    await api.DELETE("/api/v1/projects/{projectId}", { params: { path: { projectId: api.projectId } } });
    // Without accounts this browser continues with the key of a remaining project.
    const next = projects.find(({ _id }) => _id !== api.projectId);
    if (next !== undefined) replaceKey(localStorage, api.project.apiKey, next.apiKey);
    say(`${name} is deleted. Its data is deleted in the background.`);
    await navigate({ to: "/", replace: true });
    queries.removeQueries({ queryKey: [api.projectId] });
    await queries.resetQueries({ queryKey: connectionQuery.queryKey });
  }
  const { data } = counts;
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete ${name}?`}
      verb="Delete the project"
      isReady={typed.trim() === name}
      onConfirm={remove}
    >
      <p className="m-0 mb-2">
        {data === undefined
          ? counts.error === null
            ? "Counting what is in it."
            : "What is in it could not be counted."
          : `${countOf(data.traces, "trace")}, ${countOf(data.agents, "agent")}, ${countOf(data.datasets, "dataset")} and all runs, judges and settings are deleted.`}
      </p>
      <p className="m-0 mb-4">
        Whatever sends with the key <code>...{api.project.apiKey.slice(-4)}</code> is refused from that moment on.
      </p>
      <TextField
        label={`Type ${name} to confirm`}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </ConfirmDialog>
  );
}
