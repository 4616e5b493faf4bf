import { useMutation } from "@tanstack/react-query";
import { bodyOf } from "../api/client.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { ProblemLine } from "../ui/states.tsx";
import type { ModelDraft } from "./price-draft.ts";

/** Checks, before it is stored, that the endpoint answers and has the model. */
export function ConnectionTest({ draft }: { draft: ModelDraft }) {
  const api = useApi();
  const trial = useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST("/api/v1/agent-monitoring/portability/models/test-connection", {
          body: { baseUrl: draft.baseUrl.trim(), modelId: draft.id.trim(), apiKey: draft.apiKey.trim() || null },
        }),
      ),
  });
  return (
    <div className="flex flex-col items-start gap-2">
      <Button
        isBusy={trial.isPending}
        disabled={draft.baseUrl.trim() === "" || draft.id.trim() === ""}
        onClick={() => trial.mutate()}
      >
        Try the endpoint
      </Button>
      {trial.error !== null && <ProblemLine problem={trial.error} />}
      {trial.data && (
        <p role="status" className={trial.data.live ? "m-0 text-good" : "m-0 text-bad"}>
          {trial.data.live
            ? "It answers and has the model."
            : `It does not work: ${trial.data.error ?? "no reason given"}`}
        </p>
      )}
      {trial.data?.live === false && (trial.data.availableModelIds?.length ?? 0) > 0 && (
        <p className="m-0 text-xs text-soft">It has: {trial.data.availableModelIds?.slice(0, 20).join(", ")}</p>
      )}
    </div>
  );
}
