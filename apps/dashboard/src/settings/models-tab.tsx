import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { bodyOf } from "../api/client.ts";
import { useAdministers } from "../shell/role.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { PlusIcon } from "../ui/icons.tsx";
import { Section } from "../ui/page.tsx";
import { Loaded, Skeleton } from "../ui/states.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { DefaultModel } from "./default-model.tsx";
import { type Edited, ModelDialog } from "./model-dialog.tsx";
import { ModelTable } from "./model-table.tsx";
import { modelsQuery, type PricedModel, unpricedQuery } from "./queries.ts";

/** The prices of models, and the default model. */
export function ModelsTab() {
  const api = useApi();
  const models = useQuery(modelsQuery(api));
  const unpriced = useQuery(unpricedQuery(api));
  const { may, why } = useAdministers();
  const [edited, setEdited] = useState<Edited | null>(null);
  const [removed, setRemoved] = useState<PricedModel | null>(null);
  return (
    <>
      <DefaultModel />
      {/* Until the server answers it is unknown whether the first section exists, and the second one would move. */}
      {unpriced.isPending ? (
        <Skeleton />
      ) : (
        <>
          <Unpriced models={unpriced.data?.models ?? []} onAdd={(newId) => setEdited({ newId })} />
          <Section
            title="Prices"
            aside="US dollars per million tokens"
            actions={
              <Button disabled={!may} hint={why} onClick={() => setEdited({ newId: "" })}>
                <PlusIcon /> Add a model
              </Button>
            }
          >
            <Loaded query={models}>
              {(data) => (
                <ModelTable models={data.models} onEdit={(model) => setEdited({ model })} onRemove={setRemoved} />
              )}
            </Loaded>
          </Section>
        </>
      )}
      {edited !== null && <ModelDialog edited={edited} onClose={() => setEdited(null)} />}
      <RemoveModel model={removed} onClose={() => setRemoved(null)} />
    </>
  );
}

/** Models of traces without a price: their costs are unknown. */
function Unpriced({ models, onAdd }: { models: readonly string[]; onAdd(id: string): void }) {
  const { may, why } = useAdministers();
  if (models.length === 0) return null;
  return (
    <Section title="Without a price" aside="seen in traces; their costs are unknown">
      <ul className="m-0 flex list-none flex-wrap gap-2 p-0">
        {models.map((id) => (
          <li key={id} className="flex min-w-0 items-center gap-2 rounded-sm border border-line py-1 pr-1 pl-2.5">
            <code className="min-w-0 truncate">{id}</code>
            <Button look="ghost" aria-label={`Price it: ${id}`} disabled={!may} hint={why} onClick={() => onAdd(id)}>
              Price it
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function RemoveModel({ model, onClose }: { model: PricedModel | null; onClose(): void }) {
  const api = useApi();
  const queries = useQueryClient();
  const { say } = useToasts();
  const remove = useMutation({
    mutationFn: (modelId: string) =>
      bodyOf(api.DELETE("/api/v1/agent-monitoring/portability/models/{modelId}", { params: { path: { modelId } } })),
    onSuccess: (_, modelId) => {
      say(`${modelId} is removed.`);
      void queries.invalidateQueries({ queryKey: [api.projectId] });
    },
  });
  return (
    <ConfirmDialog
      isOpen={model !== null}
      onClose={onClose}
      title={`Remove ${model?.label ?? ""}?`}
      verb="Remove the model"
      onConfirm={async () => model && remove.mutateAsync(model.id)}
    >
      Costs of <code>{model?.id}</code> become unknown in every project that shares this catalogue, and judges can no
      longer be set to it. A built-in model does not return by itself; it can be added again.
    </ConfirmDialog>
  );
}
