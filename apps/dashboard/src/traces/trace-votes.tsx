import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { bodyOf } from "../api/client.ts";
import { feedbackQuery } from "../blocks/why-queries.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { ThumbDownIcon, ThumbUpIcon } from "../ui/icons.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { useToasts } from "../ui/toasts.tsx";

type Thumb = "up" | "down";

const names: Record<Thumb, string> = { up: "Good answer", down: "Bad answer" };

/** A vote on the whole trace, with the number of votes; `+` and `-` are its keys. */
export function TraceVotes({ traceId }: { traceId: string }) {
  const api = useApi();
  const queries = useQueryClient();
  const toasts = useToasts();
  const votes = useQuery(feedbackQuery(api, traceId)).data ?? [];
  const vote = useMutation({
    mutationFn: (rating: Thumb) => bodyOf(api.POST("/api/v1/feedback", { body: { traceId, rating } })),
    onSuccess: async (_, rating) => {
      toasts.say(rating === "up" ? "Voted: the answer is good." : "Voted: the answer is bad.");
      await Promise.all(
        ["feedback", "calibration"].map((part) => queries.invalidateQueries({ queryKey: [api.projectId, part] })),
      );
    },
    onError: toasts.warn,
  });
  const cast = (rating: Thumb): void => {
    if (!vote.isPending) vote.mutate(rating);
  };
  useShortcuts("Trace", [
    { keys: "+", label: "Vote: good answer", run: () => cast("up") },
    { keys: "-", label: "Vote: bad answer", run: () => cast("down") },
  ]);
  return (["up", "down"] as const).map((rating) => {
    const count = votes.filter((each) => each.rating === rating).length;
    const Icon = rating === "up" ? ThumbUpIcon : ThumbDownIcon;
    return (
      <Button
        key={rating}
        hint={`${names[rating]} (${rating === "up" ? "+" : "-"})`}
        aria-label={`${names[rating]}, ${count} votes`}
        aria-pressed={votes[0]?.rating === rating}
        isBusy={vote.isPending && vote.variables === rating}
        onClick={() => cast(rating)}
        className="px-2.5 aria-pressed:border-accent aria-pressed:bg-chosen"
      >
        <Icon />
        {count > 0 && <span className="tabular-nums">{count}</span>}
      </Button>
    );
  });
}
