import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { bodyOf } from "../api/client.ts";
import { useApi } from "../shell/session.tsx";
import { Button, ButtonLink, IconButton } from "../ui/button.tsx";
import { useCopy } from "../ui/copy.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { countOf } from "../ui/format.ts";
import { MoreIcon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import { useToasts } from "../ui/toasts.tsx";
import type { Run } from "./case-rows.ts";
import { type Graders, JudgeRunDialog } from "./judge-run-dialog.tsx";

/** The actions on a run: compare it, judge its skipped results again, request a report, delete it. */
export function RunActions({ run, baselineId }: { run: Run; baselineId: string | null }) {
  const api = useApi();
  const queries = useQueryClient();
  const toasts = useToasts();
  const navigate = useNavigate();
  const copy = useCopy();
  const [isDeleting, setDeleting] = useState(false);
  const [isChoosing, setChoosing] = useState(false);
  const params = { path: { runId: run._id } };
  const place = { projectId: api.projectId, runId: run._id };
  const readAgain = () => queries.invalidateQueries({ queryKey: [api.projectId, "run", run._id] });

  const rescore = useMutation({
    mutationFn: (body: Graders) =>
      bodyOf(api.POST("/api/v1/custom-agent-evaluations/runs/{runId}/rescore", { params, body })),
    onSuccess: async ({ rescored, stillSkipped, remaining }) => {
      const rest = remaining > 0 ? ` ${countOf(remaining, "result is", "results are")} left: press it again.` : "";
      const judged = `${countOf(rescored, "result")} judged${isExternal ? "" : " again"}`;
      setChoosing(false);
      toasts.say(`${judged}, ${stillSkipped} still ${isExternal ? "without a rating" : "skipped"}.${rest}`);
      await readAgain();
    },
    onError: toasts.warn,
  });
  const analyze = useMutation({
    mutationFn: () => bodyOf(api.POST("/api/v1/custom-agent-evaluations/runs/{runId}/analyze", { params, body: {} })),
    onSuccess: async ({ status }) => {
      toasts.say(status === "completed" ? "The report is written." : "The analysis failed; the report says why.");
      await readAgain();
      await navigate({ to: "/p/$projectId/runs/$runId", params: place, search: { tab: "report" } });
    },
    onError: toasts.warn,
  });
  const remove = async (): Promise<void> => {
    await api.DELETE("/api/v1/custom-agent-evaluations/runs/{runId}", { params });
    toasts.say("The run is deleted.");
    await navigate({ to: "/p/$projectId/runs", params: { projectId: api.projectId } });
    queries.removeQueries({ queryKey: [api.projectId, "run", run._id] });
    await queries.invalidateQueries({ queryKey: [api.projectId, "runs"] });
  };
  const { skippedCount, ratedCount } = run.liveStatistics;
  const isExternal = run.runSource === "external";
  return (
    <>
      {skippedCount > 0 && (
        <Button
          isBusy={rescore.isPending}
          disabled={run.status === "in_progress"}
          hint={
            run.status === "in_progress"
              ? "Only a run that has ended can be judged again"
              : isExternal
                ? "Scored by the client: asks the judge about what is not judged"
                : "Asks the judge again about what was skipped"
          }
          onClick={() => (isExternal && ratedCount === 0 ? setChoosing(true) : rescore.mutate({}))}
        >
          {isExternal
            ? `Judge ${countOf(skippedCount, "result")}`
            : `Rescore ${countOf(skippedCount, "skipped result")}`}
        </Button>
      )}
      {baselineId !== null && (
        <ButtonLink
          to="/p/$projectId/runs/compare"
          params={{ projectId: api.projectId }}
          search={{ baseline: baselineId, candidate: [run._id] }}
          look="primary"
        >
          Compare with the run before
        </ButtonLink>
      )}
      <Menu
        align="end"
        trigger={
          <IconButton label="More" isBusy={analyze.isPending}>
            <MoreIcon />
          </IconButton>
        }
        items={[
          {
            label: analyze.isPending ? "Writing the report" : "Write a report",
            onChoose: () => analyze.mutate(),
            disabledBecause: ratedCount === 0 ? "nothing is rated" : undefined,
          },
          { label: "Copy the run's id", onChoose: () => void copy(run._id, "Id") },
          null,
          { label: "Delete the run", look: "danger", onChoose: () => setDeleting(true) },
        ]}
      />
      {isChoosing && (
        <JudgeRunDialog
          run={run}
          isBusy={rescore.isPending}
          onJudge={rescore.mutate}
          onClose={() => setChoosing(false)}
        />
      )}
      <ConfirmDialog
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title="Delete this run?"
        verb="Delete the run"
        onConfirm={remove}
      >
        {countOf(run.resultCount, "result")} with their verdicts, the run's report and its gates are deleted for good.
        Traces and the dataset stay.
      </ConfirmDialog>
    </>
  );
}
