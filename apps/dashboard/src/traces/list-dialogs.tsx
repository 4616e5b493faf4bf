import { AddToDataset } from "../blocks/add-to-dataset.tsx";
import { EvaluateTrace } from "../blocks/evaluate-trace.tsx";
import { DeleteTracesDialog } from "./delete-traces-dialog.tsx";
import type { ListAct, TracesPageState } from "./use-traces-page.ts";

/** The open dialog of the list. */
export function ListDialogs({ page, act: { kind, traceIds } }: { page: TracesPageState; act: ListAct }) {
  const { setAct, filter, selection, search, peek } = page;
  const onClose = (): void => setAct(null);
  if (kind === "add") return <AddToDataset traceIds={traceIds} onClose={onClose} />;
  if (kind === "evaluate") return <EvaluateTrace traceIds={traceIds} onClose={onClose} />;
  return (
    <DeleteTracesDialog
      traceIds={traceIds}
      filter={filter}
      onClose={onClose}
      onDeleted={(gone) => {
        selection.forget(gone);
        if (search.peek !== undefined && gone.has(search.peek)) peek(undefined);
      }}
    />
  );
}
