import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { bodyOf, type ProjectApi } from "../api/client.ts";
import { someAtOnce } from "../api/some-at-once.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { countOf } from "../ui/format.ts";
import { Loaded, ProblemLine } from "../ui/states.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { type CaseDraft, caseOf, draftOf, duplicateSentence } from "./case-drafts.ts";
import { CaseEditor } from "./case-editor.tsx";
import { type ChosenDataset, DatasetChoice } from "./dataset-choice.tsx";
import { useUnsavedGuard } from "./leave-guard.tsx";

/** The maximum number of traces added at once; larger numbers need an import. */
export const casesAtOnceMost = 50;

interface AddToDatasetProps {
  /** At most {@link casesAtOnceMost}. */
  traceIds: readonly string[];
  onClose(): void;
  /** Where the traces were found; stored with the cases. */
  signalId?: string;
}

/**
 * Turns recorded traces into cases of a new or existing dataset. Questions and reference answers can be edited first;
 * questions that the dataset already has are marked and left out unless the user adds them.
 */
export function AddToDataset({ traceIds, onClose, signalId }: AddToDatasetProps) {
  const api = useApi();
  const previews = useQuery({
    queryKey: [api.projectId, "case-previews", ...traceIds],
    queryFn: ({ signal }) => readDrafts(api, traceIds, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (previews.data !== undefined) {
    return <Drafts recorded={previews.data} {...{ onClose, ...(signalId !== undefined && { signalId }) }} />;
  }
  return (
    <Dialog isOpen onClose={onClose} title="Add to a dataset" width="wide">
      <Loaded query={previews}>{() => null}</Loaded>
    </Dialog>
  );
}

function Drafts({ recorded, signalId, onClose }: { recorded: CaseDraft[]; signalId?: string; onClose(): void }) {
  const api = useApi();
  const queries = useQueryClient();
  const toasts = useToasts();
  const [drafts, setDrafts] = useState(recorded);
  const isChanged = drafts !== recorded;
  const unsaved = useUnsavedGuard(isChanged);
  const [dataset, setDataset] = useState<ChosenDataset | null>(null);
  const [duplicates, setDuplicates] = useState<ReadonlyMap<string, string>>(new Map());

  const addition = useMutation({
    mutationFn: async () => {
      if (dataset === null) throw new Error("no dataset is chosen");
      const id = dataset.id ?? (await createDataset(api, dataset.name));
      // A retry adds to the dataset that this attempt created.
      setDataset({ id, name: dataset.name });
      const cases = drafts.map((draft) => caseOf(draft, signalId));
      return bodyOf(
        api.POST("/api/v1/custom-agent-evaluations/datasets/{datasetId}/cases", {
          params: { path: { datasetId: id } },
          body: { cases, dedupe: duplicates.size === 0 },
        }),
      );
    },
    onSuccess: async ({ added = 0, duplicates: refused = [], caseCount }) => {
      await queries.invalidateQueries({ queryKey: [api.projectId, "datasets"] });
      const name = dataset?.name ?? "the dataset";
      if (added > 0) toasts.say(`${countOf(added, "case")} added to ${name}, which has ${caseCount} now.`);
      if (refused.length === 0) return onClose();
      const sentences = new Map(
        refused.map(({ index, ...why }) => [drafts[index]?.traceId ?? "", duplicateSentence(why)]),
      );
      setDuplicates(sentences);
      setDrafts(drafts.filter(({ traceId }) => sentences.has(traceId)));
    },
  });

  const change = (traceId: string, changed: Partial<CaseDraft>): void =>
    setDrafts((all) => all.map((draft) => (draft.traceId === traceId ? { ...draft, ...changed } : draft)));
  const isWhole = dataset !== null && dataset.name.trim() !== "" && drafts.every(({ query }) => query.trim() !== "");
  const verb = duplicates.size > 0 ? "Add nevertheless" : `Add ${countOf(drafts.length, "case")}`;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      isChanged={isChanged}
      title="Add to a dataset"
      width="wide"
      actions={
        <>
          <Button onClick={onClose}>{duplicates.size > 0 ? "Close" : "Cancel"}</Button>
          <Button look="primary" disabled={!isWhole} isBusy={addition.isPending} onClick={() => addition.mutate()}>
            {verb}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-6">
        <DatasetChoice chosen={dataset} onChoose={setDataset} />
        {drafts.map((draft, index) => (
          <CaseEditor
            key={draft.traceId}
            draft={draft}
            position={recorded.length === 1 ? null : `${index + 1} of ${drafts.length}`}
            note={duplicates.get(draft.traceId) ?? null}
            onChange={(changed) => change(draft.traceId, changed)}
            onRemove={
              drafts.length === 1
                ? undefined
                : () => setDrafts(drafts.filter(({ traceId }) => traceId !== draft.traceId))
            }
          />
        ))}
        {unsaved.guard}
        {addition.error && <ProblemLine problem={addition.error} />}
      </div>
    </Dialog>
  );
}

async function readDrafts(api: ProjectApi, traceIds: readonly string[], signal: AbortSignal): Promise<CaseDraft[]> {
  return someAtOnce(traceIds.slice(0, casesAtOnceMost), 4, async (traceId) =>
    draftOf(
      traceId,
      await bodyOf(api.POST("/api/v1/custom-agent-evaluations/datasets/case-preview", { body: { traceId }, signal })),
    ),
  );
}

async function createDataset(api: ProjectApi, name: string): Promise<string> {
  const { _id } = await bodyOf(api.POST("/api/v1/custom-agent-evaluations/datasets", { body: { name: name.trim() } }));
  return _id;
}
