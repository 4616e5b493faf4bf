import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { someAtOnce } from "../api/some-at-once.ts";
import { useApi } from "../shell/session.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { countOf } from "../ui/format.ts";
import { useToasts } from "../ui/toasts.tsx";
import { deleteTrace } from "./delete-trace.ts";
import { withoutRows } from "./fresh-rows.ts";
import { tracesQuery } from "./list-queries.ts";
import type { TracesFilter } from "./list-search.ts";

interface DeleteTracesDialogProps {
  traceIds: readonly string[];
  /** The list that contains them. */
  filter: TracesFilter;
  onClose(): void;
  /** Called with the deleted ids; after a failure these may be fewer. */
  onDeleted(ids: ReadonlySet<string>): void;
}

/** Asks for confirmation, deletes traces one by one, and removes the deleted ones from the list. */
export function DeleteTracesDialog({ traceIds, filter, onClose, onDeleted }: DeleteTracesDialogProps) {
  const api = useApi();
  const queries = useQueryClient();
  const toasts = useToasts();
  const counted = countOf(traceIds.length, "trace");
  const stop = useRef(new AbortController());

  async function remove(): Promise<void> {
    const gone = new Set<string>();
    try {
      await someAtOnce(traceIds, 4, async (traceId) => {
        if (stop.current.signal.aborted) return;
        await deleteTrace(api, traceId);
        gone.add(traceId);
      });
      toasts.say(`${countOf(gone.size, "trace")} deleted.`);
    } finally {
      queries.setQueryData(tracesQuery(api, filter).queryKey, (pages) => pages && withoutRows(pages, gone));
      onDeleted(gone);
    }
  }
  /** Cancelled, the dialog deletes no more. */
  function close(): void {
    stop.current.abort();
    onClose();
  }
  return (
    <ConfirmDialog isOpen onClose={close} title={`Delete ${counted}?`} verb={`Delete ${counted}`} onConfirm={remove}>
      Their spans, ratings and votes go with them. Cases and run results that were made of them stay. This cannot be
      undone.
    </ConfirmDialog>
  );
}
