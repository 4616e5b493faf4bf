import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useId, useState } from "react";
import { bodyOf } from "../api/client.ts";
import { differs, useUnsavedGuard } from "../blocks/leave-guard.tsx";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { SelectField, TextArea, TextField } from "../ui/field.tsx";
import { ProblemLine } from "../ui/states.tsx";
import { readLabels } from "./move-labels-dialog.tsx";
import { type Prompt, promptsKey } from "./queries.ts";

/** What was typed. `content` is the text, or the messages as JSON. */
interface Draft {
  name: string;
  type: Prompt["type"];
  content: string;
  labels: string;
  commitMessage: string;
}

const emptyDraft: Draft = { name: "", type: "text", content: "", labels: "", commitMessage: "" };

const draftOf = ({ name, type, text, messages }: Prompt): Draft => ({
  ...{ name, type, labels: "", commitMessage: "" },
  content: messages === undefined ? text : JSON.stringify(messages, null, 2),
});

/** The messages, or why the text is none. */
function readChat(content: string): { messages: { [key: string]: unknown }[] } | { error: string } {
  try {
    const messages: unknown = JSON.parse(content);
    if (Array.isArray(messages) && messages.length > 0) return { messages };
    return { error: "Write a list of messages, each with a role and a content." };
  } catch {
    return { error: "This is not JSON." };
  }
}

/** Publishes a new prompt, or with `from` a new version of one, and opens it. What was typed stays until it is published. */
export function PublishDialog({ isOpen, onClose, from }: { isOpen: boolean; onClose(): void; from?: Prompt }) {
  const api = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const formId = useId();
  const [typed, setTyped] = useState<Draft | null>(null);
  const initial = from === undefined ? emptyDraft : draftOf(from);
  const draft = typed ?? initial;
  const isChanged = differs(draft, initial);
  const unsaved = useUnsavedGuard(isChanged);
  const change = (part: Partial<Draft>): void => setTyped({ ...draft, ...part });
  const chat = draft.type === "chat" && draft.content !== "" ? readChat(draft.content) : null;
  const error = chat !== null && "error" in chat ? chat.error : null;
  const publish = useMutation({
    mutationFn: () => {
      const labels = readLabels(draft.labels);
      const content = chat !== null && "messages" in chat ? { messages: chat.messages } : { text: draft.content };
      const body = {
        ...{ name: draft.name.trim(), type: draft.type, ...content },
        ...(from !== undefined && { config: from.config }),
        ...(labels.length > 0 && { labels }),
        ...(draft.commitMessage.trim() !== "" && { commitMessage: draft.commitMessage.trim() }),
      };
      return bodyOf(api.POST("/api/v1/custom-agent-evaluations/prompts", { body }));
    },
    onSuccess: async ({ _id: promptId }) => {
      unsaved.release();
      setTyped(null);
      await queries.invalidateQueries({ queryKey: promptsKey(api) });
      onClose();
      const params = { projectId: api.projectId, promptId };
      await navigate({ to: "/p/$projectId/prompts/$promptId", params, search: {} });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    publish.mutate();
  };
  const isReady = draft.name.trim() !== "" && draft.content.trim() !== "" && error === null;
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      isChanged={isChanged}
      title={from === undefined ? "New prompt" : `New version of ${from.name}`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={formId} isBusy={publish.isPending} disabled={!isReady}>
            Publish
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
        {from === undefined && (
          <>
            <TextField
              label="Name"
              hint="Programs read it by this name. A known name gets a new version."
              value={draft.name}
              onChange={(event) => change({ name: event.target.value })}
            />
            <SelectField
              label="Type"
              value={draft.type}
              onChange={(event) => change({ type: event.target.value === "chat" ? "chat" : "text" })}
            >
              <option value="text">Text</option>
              <option value="chat">Chat: a list of messages</option>
            </SelectField>
          </>
        )}
        <TextArea
          label={draft.type === "chat" ? "Messages" : "Text"}
          hint={draft.type === "chat" ? '[{"role": "system", "content": "..."}]' : "Variables are written {{name}}."}
          rows={10}
          error={error}
          value={draft.content}
          onChange={(event) => change({ content: event.target.value })}
        />
        <TextField
          label="Labels"
          hint="Separated by commas, such as production. They move to this version."
          value={draft.labels}
          onChange={(event) => change({ labels: event.target.value })}
        />
        <TextField
          label="What changed"
          value={draft.commitMessage}
          onChange={(event) => change({ commitMessage: event.target.value })}
        />
        {unsaved.guard}
        {publish.error !== null && <ProblemLine problem={publish.error} />}
      </form>
    </Dialog>
  );
}
