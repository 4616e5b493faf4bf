import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { bodyOf } from "../api/client.ts";
import { useUnsavedGuard } from "../blocks/leave-guard.tsx";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextArea, TextField } from "../ui/field.tsx";
import { formatRating } from "../ui/format.ts";
import { ProblemLine } from "../ui/states.tsx";
import { useToasts } from "../ui/toasts.tsx";
import type { Occurrence, Signal } from "./queries.ts";
import { useJudge } from "./signal-origin.tsx";

/** The score that a judge should have given. It counts towards the agreement of the judge with people. */
export function CorrectScore({
  signal,
  occurrence,
  onClose,
}: {
  signal: Signal;
  occurrence: Occurrence;
  onClose(): void;
}) {
  const api = useApi();
  const queries = useQueryClient();
  const { say } = useToasts();
  const form = useId();
  const judge = useJudge(signal);
  const threshold = judge?.threshold;
  const [score, setScore] = useState("");
  const [rationale, setRationale] = useState("");
  const isChanged = score !== "" || rationale !== "";
  const unsaved = useUnsavedGuard(isChanged);
  const corrected = score.trim() === "" ? Number.NaN : Number(score);
  const isScore = corrected >= 0 && corrected <= 10;
  const save = useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST("/api/v1/agent-monitoring/signals/{signalId}/feedback", {
          params: { path: { signalId: signal._id } },
          body: {
            metric: judge?.name ?? signal.patternKey,
            rationale: rationale.trim(),
            occurrenceId: occurrence.id,
            originalScore: occurrence.rating ?? null,
            correctedScore: corrected,
          },
        }),
      ),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: [api.projectId, "signals", "one", signal._id] });
      say(`The score is corrected to ${formatRating(corrected)}.`);
      onClose();
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (isScore && rationale.trim() !== "" && !save.isPending) save.mutate();
  }
  const verdict =
    threshold == null || !isScore
      ? ""
      : ` It ${corrected < threshold ? "fails" : "passes"} then: the threshold is ${formatRating(threshold)}.`;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      isChanged={isChanged}
      title="Correct the score"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            type="submit"
            form={form}
            isBusy={save.isPending}
            disabled={!isScore || rationale.trim() === ""}
          >
            Save
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4">
        <p className="m-0 text-soft">
          {judge?.name ?? "The judge"} gave {formatRating(occurrence.rating)}
          {occurrence.justification === undefined ? "." : <>: “{occurrence.justification}”</>}
        </p>
        <TextField
          label="What it should have given"
          hint={`From 0, the worst, to 10.${verdict}`}
          autoFocus
          inputMode="decimal"
          autoComplete="off"
          value={score}
          onChange={({ target }) => setScore(target.value.replace(",", "."))}
          error={score.trim() !== "" && !isScore ? "A number from 0 to 10." : null}
        />
        <TextArea
          label="Why"
          hint="The person who changes the rubric reads it."
          value={rationale}
          onChange={({ target }) => setRationale(target.value)}
          onKeyDown={(event) => (event.ctrlKey || event.metaKey) && event.key === "Enter" && submit(event)}
        />
        {unsaved.guard}
        {save.error !== null && <ProblemLine problem={save.error} />}
      </form>
    </Dialog>
  );
}
