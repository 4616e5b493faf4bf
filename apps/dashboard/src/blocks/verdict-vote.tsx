import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { bodyOf } from "../api/client.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { ThumbDownIcon, ThumbUpIcon } from "../ui/icons.tsx";
import { Time } from "../ui/page.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { ProblemLine } from "../ui/states.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { useUnsavedGuard } from "./leave-guard.tsx";
import { passes, type Verdict, voteFor } from "./verdict.ts";
import { feedbackQuery } from "./why-queries.ts";

type Thumb = "up" | "down";

/**
 * Agree or Disagree: a vote on the trace, from which the agreement of its judges is computed. If the verdict takes no
 * side, a person can still say whether the answer is good.
 */
export function VerdictVote({ verdict, traceId }: { verdict: Verdict; traceId: string }) {
  const api = useApi();
  const queries = useQueryClient();
  const toasts = useToasts();
  const votes = useQuery(feedbackQuery(api, traceId));
  const [comment, setComment] = useState("");
  const unsaved = useUnsavedGuard(comment !== "");
  const vote = useMutation({
    mutationFn: (rating: Thumb) =>
      bodyOf(
        api.POST("/api/v1/feedback", {
          body: { traceId, rating, ...(comment.trim() !== "" && { comment: comment.trim() }) },
        }),
      ),
    onSuccess: async (_, rating) => {
      setComment("");
      toasts.say(rating === "up" ? "Voted: the answer is good." : "Voted: the answer is bad.");
      await Promise.all(
        ["feedback", "calibration"].map((part) => queries.invalidateQueries({ queryKey: [api.projectId, part] })),
      );
    },
  });
  const choices = choicesFor(verdict);
  useShortcuts(
    "Why this score",
    choices.map(({ keys, label, thumb }) => ({ keys, label, run: () => !vote.isPending && vote.mutate(thumb) })),
  );
  const last = votes.data?.[0];
  return (
    <div className="flex flex-col gap-2">
      <TextField
        label="Reason"
        isLabelHidden
        placeholder="Your reason (optional)"
        maxLength={2_000}
        value={comment}
        onChange={(event) => setComment(event.target.value)}
      />
      <div className="flex flex-wrap items-center gap-2">
        {choices.map(({ keys, label, thumb }) => (
          <Button key={keys} onClick={() => vote.mutate(thumb)} isBusy={vote.isPending && vote.variables === thumb}>
            {thumb === "up" ? <ThumbUpIcon /> : <ThumbDownIcon />}
            {label}
            <kbd className="text-faint max-md:hidden">{keys}</kbd>
          </Button>
        ))}
      </div>
      {unsaved.guard}
      {vote.isError && <ProblemLine problem={vote.error} />}
      <p className="m-0 text-xs text-faint">
        {last === undefined ? (
          "A vote is on the trace: it counts for every judge that rated it."
        ) : (
          <>
            Newest vote: {last.rating === "up" ? "good" : "bad"}, <Time iso={last.createdAt} isAge />
            {last.comment !== undefined && <>: “{last.comment}”</>}. A new vote takes its place.
          </>
        )}
      </p>
    </div>
  );
}

function choicesFor(verdict: Verdict): { keys: string; label: string; thumb: Thumb }[] {
  const isGood = passes(verdict);
  const agreed = voteFor(verdict, true);
  const denied = voteFor(verdict, false);
  if (isGood === null || agreed === null || denied === null) {
    return [
      { keys: "A", label: "Good answer", thumb: "up" },
      { keys: "D", label: "Bad answer", thumb: "down" },
    ];
  }
  return [
    { keys: "A", label: isGood ? "Agree, it is good" : "Agree, it is bad", thumb: agreed },
    { keys: "D", label: isGood ? "Disagree, it is bad" : "Disagree, it is good", thumb: denied },
  ];
}
