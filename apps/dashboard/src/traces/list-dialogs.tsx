import { AddToDataset } from "../blocks/add-to-dataset.tsx";
import { EvaluateTrace } from "../blocks/evaluate-trace.tsx";
import { DeleteTracesDialog } from "./delete-traces-dialog.tsx";
import type { TracesPageState } from "./use-traces-page.ts";

/** The dialog of what is being done with traces of the list, if anything is. */
export function ListDialogs({ page }: { page: TracesPageState }) {
  const { act, setAct, filter, selection, search, peek } = page;
  if (act === null) return null;
  const { kind, traceIds } = act;
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
