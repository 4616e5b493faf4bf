import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { bodyOf } from "../api/client.ts";
import { AddToDataset } from "../blocks/add-to-dataset.tsx";
import { EvaluateTrace } from "../blocks/evaluate-trace.tsx";
import { useApi } from "../shell/session.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { countOf } from "../ui/format.ts";
import { MoreIcon } from "../ui/icons.tsx";
import { useIsNarrow } from "../ui/media-query.ts";
import { Menu } from "../ui/menu.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { otelTraceId, type TraceDetail } from "./trace-queries.ts";

export type TraceDialog = "evaluate" | "add" | "delete";

/** What can be done with a trace as a whole. */
export function TraceActions({ trace, onDialog }: { trace: TraceDetail; onDialog(dialog: TraceDialog): void }) {
  const toasts = useToasts();
  const isNarrow = useIsNarrow();
  const copy = async (text: string, what: string): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      toasts.say(`${what} copied.`);
    } catch {
      toasts.say(`This browser does not let pages copy: ${text}`);
    }
  };
  const otlpId = otelTraceId(trace.metadata);
  useShortcuts("Trace", [
    { keys: "e", label: "Evaluate", run: () => onDialog("evaluate") },
    { keys: "a", label: "Add to a dataset", run: () => onDialog("add") },
    { keys: "y", label: "Copy the link of this view", run: () => void copy(window.location.href, "Link") },
  ]);
  return (
    <>
      <Button onClick={() => onDialog("evaluate")}>Evaluate</Button>
      {!isNarrow && <Button onClick={() => onDialog("add")}>Add to dataset</Button>}
      <Menu
        align="end"
        trigger={
          <IconButton label="More">
            <MoreIcon />
          </IconButton>
        }
        items={[
          ...(isNarrow ? [{ label: "Add to dataset", onChoose: () => onDialog("add") }] : []),
          { label: "Copy the link of this view", onChoose: () => void copy(window.location.href, "Link") },
          { label: "Copy the id", onChoose: () => void copy(trace._id, "Id") },
          ...(otlpId === null
            ? []
            : [{ label: "Copy OpenTelemetry's trace id", onChoose: () => void copy(otlpId, "Trace id") }]),
          null,
          { label: "Delete…", look: "danger", onChoose: () => onDialog("delete") },
        ]}
      />
    </>
  );
}

/** The dialog that is open, if one is. */
export function TraceDialogs({
  trace,
  spanCount,
  open,
  onClose,
}: {
  trace: TraceDetail;
  spanCount: number;
  open: TraceDialog | null;
  onClose(): void;
}) {
  if (open === "evaluate") return <EvaluateTrace traceIds={[trace._id]} onClose={onClose} />;
  if (open === "add") return <AddToDataset traceIds={[trace._id]} onClose={onClose} />;
  return open === "delete" ? <DeleteTrace trace={trace} spanCount={spanCount} onClose={onClose} /> : null;
}

function DeleteTrace({ trace, spanCount, onClose }: { trace: TraceDetail; spanCount: number; onClose(): void }) {
  const api = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const toasts = useToasts();
  const spans = countOf(spanCount, "span");
  async function remove(): Promise<void> {
    await bodyOf(api.DELETE("/api/v1/ingest/traces/{traceId}", { params: { path: { traceId: trace._id } } }));
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
