import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { bodyOf } from "../api/client.ts";
import { type Connection, replaceKey } from "../api/connection.ts";
import { useAdministers } from "../shell/role.ts";
import { connectionQuery, useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { ConfirmDialog, Dialog } from "../ui/dialog.tsx";
import { Section } from "../ui/page.tsx";
import { maskKey } from "./masked-key.ts";

/** The project's key: its scope, a copy button, and its replacement. */
export function KeyTab() {
  const { project } = useApi();
  const [isShown, setShown] = useState(false);
  return (
    <>
      <Section title="Project key">
        <p className="m-0 mb-3 text-soft">
          Programs send it as <code>x-api-key</code>. It opens everything in {project.name}, and no other project.
        </p>
        <div className="flex flex-wrap items-center gap-2">
          <code className="min-w-0 rounded-sm border border-line bg-panel px-2.5 py-1.5 break-all">
            {isShown ? project.apiKey : maskKey(project.apiKey)}
          </code>
          <Button onClick={() => setShown(!isShown)}>{isShown ? "Hide" : "Show"}</Button>
          <CopyButton text={project.apiKey} name="the key" label="Copy" />
        </div>
      </Section>
      <RotateKey />
    </>
  );
}

function RotateKey() {
  const api = useApi();
  const queries = useQueryClient();
  const { may, why } = useAdministers();
  const [isAsking, setAsking] = useState(false);
  const [fresh, setFresh] = useState<string | null>(null);
  const rotate = useMutation({
    mutationFn: () =>
      bodyOf(api.POST("/api/v1/projects/{projectId}/rotate-key", { params: { path: { projectId: api.projectId } } })),
    onSuccess: ({ project }) => {
      replaceKey(localStorage, api.project.apiKey, project.apiKey);
      queries.setQueryData<Connection>(connectionQuery.queryKey, (known) =>
        known?.state === "ready"
          ? { ...known, projects: known.projects.map((one) => (one._id === project._id ? project : one)) }
          : known,
      );
      setFresh(project.apiKey);
    },
  });
  return (
    <Section title="Replace the key">
      <p className="m-0 mb-3 text-soft">
        Use this when the key leaked or a person who knew it has left. The present key stops working at once.
      </p>
      <Button look="danger" disabled={!may} hint={why} onClick={() => setAsking(true)}>
        Replace the key
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`Replace the key of ${api.project.name}?`}
        verb="Replace the key"
        onConfirm={() => rotate.mutateAsync()}
      >
        <p className="m-0">
          <code>{maskKey(api.project.apiKey)}</code> stops at once, and there is no way back. Until they have the new
          key, these are refused with 401:
        </p>
        <ul className="my-2 list-disc pl-5">
          <li>agents and OpenTelemetry exporters that send traces: what they send is lost unless they retry</li>
          <li>pipelines that run evaluations or ask for gates</li>
          <li>scripts, exports and other browsers that use the key</li>
        </ul>
        <p className="m-0">This browser takes the new key by itself.</p>
      </ConfirmDialog>
      <Dialog
        isOpen={fresh !== null}
        onClose={() => setFresh(null)}
        title="The new key"
        actions={
          <Button look="primary" onClick={() => setFresh(null)}>
            Done
          </Button>
        }
      >
        <p className="m-0 mb-3">The previous key no longer works. Put this one where it was used:</p>
        <div className="flex flex-wrap items-center gap-2">
          <code className="min-w-0 rounded-sm border border-line bg-panel px-2.5 py-1.5 break-all">{fresh}</code>
          <CopyButton text={fresh ?? ""} name="the new key" label="Copy" />
        </div>
      </Dialog>
    </Section>
  );
}
