import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { bodyOf } from "../api/client.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { ProblemLine } from "../ui/states.tsx";
import { type Prompt, promptsKey } from "./queries.ts";

/** Labels as they are typed: separated by commas. */
export const readLabels = (typed: string): string[] =>
  typed
    .split(",")
    .map((label) => label.trim())
    .filter((label) => label !== "");

/** The label that most programs read. */
const usual = "production";

/** Moves labels to a version: programs that read them get this version from then on. */
export function MoveLabelsDialog({ prompt, isOpen, onClose }: { prompt: Prompt; isOpen: boolean; onClose(): void }) {
  const api = useApi();
  const queries = useQueryClient();
  const formId = useId();
  const [typed, setTyped] = useState(usual);
  const labels = readLabels(typed);
  const move = useMutation({
    mutationFn: () =>
      bodyOf(
        api.PATCH("/api/v1/custom-agent-evaluations/prompts/{promptId}/versions/{version}", {
          params: { path: { promptId: prompt._id, version: String(prompt.version) } },
          body: { labels },
        }),
      ),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: promptsKey(api) });
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    move.mutate();
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      isChanged={typed !== usual}
      title={`Move labels to version ${prompt.version}`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={formId} isBusy={move.isPending} disabled={labels.length === 0}>
            Move
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Labels"
          hint="Separated by commas. Programs that read these labels get this version from now on."
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        {move.error !== null && <ProblemLine problem={move.error} />}
      </form>
    </Dialog>
  );
}
