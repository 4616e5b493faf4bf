import { useMutation } from "@tanstack/react-query";
import { bodyOf } from "../api/client.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { ProblemLine } from "../ui/states.tsx";
import type { ModelDraft } from "./price-draft.ts";

/** Checks, before it is stored, that the endpoint answers and has the model. */
export function ConnectionTest({ draft }: { draft: ModelDraft }) {
  const api = useApi();
  const tried = { baseUrl: draft.baseUrl.trim(), modelId: draft.id.trim(), apiKey: draft.apiKey.trim() || null };
  const trial = useMutation({
    mutationFn: (body: typeof tried) =>
      bodyOf(api.POST("/api/v1/agent-monitoring/portability/models/test-connection", { body })),
  });
  // An answer about what was typed before says nothing.
  const isCurrent = JSON.stringify(trial.variables) === JSON.stringify(tried);
  const answer = isCurrent ? trial.data : undefined;
  return (
    <div className="flex flex-col items-start gap-2">
      <Button
        isBusy={trial.isPending}
        disabled={tried.baseUrl === "" || tried.modelId === ""}
        onClick={() => trial.mutate(tried)}
      >
        Try the endpoint
      </Button>
      {isCurrent && trial.error !== null && <ProblemLine problem={trial.error} />}
      {answer && (
        <p role="status" className={answer.live ? "m-0 text-good" : "m-0 text-bad"}>
          {answer.live ? "It answers and has the model." : `It does not work: ${answer.error ?? "no reason given"}`}
        </p>
      )}
      {answer?.live === false && (answer.availableModelIds?.length ?? 0) > 0 && (
        <p className="m-0 text-xs text-soft">It has: {answer.availableModelIds?.slice(0, 20).join(", ")}</p>
      )}
    </div>
  );
}
