import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { AddToDataset } from "../blocks/add-to-dataset.tsx";
import { EvaluateTrace } from "../blocks/evaluate-trace.tsx";
import { useApi } from "../shell/session.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { countOf } from "../ui/format.ts";
import { useToasts } from "../ui/toasts.tsx";
import { deleteTrace } from "./delete-trace.ts";
import type { TraceDialog } from "./trace-actions.tsx";
import type { TraceDetail } from "./trace-queries.ts";

/** The open dialog of a trace. */
export function TraceDialogs({
  trace,
  spanCount,
  open,
  onClose,
}: {
  trace: TraceDetail;
  spanCount: number;
  open: TraceDialog;
  onClose(): void;
}) {
  if (open === "evaluate") return <EvaluateTrace traceIds={[trace._id]} onClose={onClose} />;
  if (open === "add") return <AddToDataset traceIds={[trace._id]} onClose={onClose} />;
  return <DeleteTrace trace={trace} spanCount={spanCount} onClose={onClose} />;
}

function DeleteTrace({ trace, spanCount, onClose }: { trace: TraceDetail; spanCount: number; onClose(): void }) {
  const api = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const toasts = useToasts();
  const spans = countOf(spanCount, "span");
  async function remove(): Promise<void> {
    await deleteTrace(api, trace._id);
    toasts.say(`Trace of ${spans} deleted.`);
    await navigate({ to: "/p/$projectId/traces", params: { projectId: api.projectId } });
    void queries.invalidateQueries({ queryKey: [api.projectId, "traces"] });
  }
  return (
    <ConfirmDialog isOpen onClose={onClose} title="Delete this trace?" verb={`Delete ${spans}`} onConfirm={remove}>
      {trace.name} goes with its {spans}, its ratings and votes. Cases and run results that were made of it stay. This
      cannot be undone.
    </ConfirmDialog>
  );
}
