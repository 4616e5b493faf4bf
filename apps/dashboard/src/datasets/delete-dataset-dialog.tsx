import { useQuery, useQueryClient } from "@tanstack/react-query";
import { bodyOf } from "../api/client.ts";
import type { DatasetSummary } from "../blocks/dataset-summaries.ts";
import { useApi } from "../shell/session.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { countOf } from "../ui/format.ts";
import { useToasts } from "../ui/toasts.tsx";
import { countRunsQuery, datasetsKey } from "./queries.ts";

/** Asks before a dataset is deleted, with the counts of deleted and remaining objects. */
export function DeleteDatasetDialog({
  dataset,
  isOpen,
  onClose,
  onDeleted,
}: {
  dataset: Pick<DatasetSummary, "_id" | "name" | "caseCount">;
  isOpen: boolean;
  onClose(): void;
  onDeleted?: () => void;
}) {
  const api = useApi();
  const queries = useQueryClient();
  const { say } = useToasts();
  const runs = useQuery({ ...countRunsQuery(api, dataset._id), enabled: isOpen });
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={`Delete ${dataset.name}?`}
      verb={`Delete ${countOf(dataset.caseCount, "case")}`}
      onConfirm={async () => {
        const params = { path: { datasetId: dataset._id } };
        await bodyOf(api.DELETE("/api/v1/custom-agent-evaluations/datasets/{datasetId}", { params }));
        onDeleted?.();
        await queries.invalidateQueries({ queryKey: datasetsKey(api) });
        say(`${dataset.name} was deleted.`);
      }}
    >
      <p className="m-0">
        Its {countOf(dataset.caseCount, "case")} and its settings go, and nothing brings them back.
        {runs.data !== undefined && ` Of its ${runs.data} the ratings stay, without the text of the questions.`}
      </p>
    </ConfirmDialog>
  );
}
