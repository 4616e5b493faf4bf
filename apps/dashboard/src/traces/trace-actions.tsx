import { refusalOf, useAdministers } from "../shell/role.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { useCopy } from "../ui/copy.ts";
import { MoreIcon } from "../ui/icons.tsx";
import { useIsNarrow } from "../ui/media-query.ts";
import { Menu } from "../ui/menu.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { otelTraceId, type TraceDetail } from "./trace-queries.ts";

export type TraceDialog = "evaluate" | "add" | "delete";

/** The actions on a whole trace. */
export function TraceActions({ trace, onDialog }: { trace: TraceDetail; onDialog(dialog: TraceDialog): void }) {
  const isNarrow = useIsNarrow();
  const copy = useCopy();
  const refusal = refusalOf(useAdministers());
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
          { label: "Delete…", look: "danger", onChoose: () => onDialog("delete"), disabledBecause: refusal },
        ]}
      />
    </>
  );
}
