import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { bodyOf } from "../api/client.ts";
import { useAdministers } from "../shell/role.ts";
import { useApi, useSession } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { Badge, Panel, Section } from "../ui/page.tsx";
import { Loaded, ProblemLine } from "../ui/states.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { type Provider, providers } from "./providers.ts";
import { modelsQuery, settingsQuery } from "./queries.ts";

/** The provider keys that judges use. */
export function ProviderKeysTab() {
  const { api, config } = useSession();
  const settings = useQuery(settingsQuery(api));
  const isTenant = config.mode === "enabled" && config.multiTenant;
  return (
    <Section title="Provider keys">
      <p className="m-0 mb-4 max-w-3xl text-soft">
        Judges call models with these.{" "}
        {config.mode === "enabled"
          ? "They belong to the organization: all its projects use them."
          : "All projects of this installation use them."}{" "}
        {isTenant
          ? "Where none is stored, results of that provider's models are skipped, and can be scored again later."
          : "Where none is stored, the key in the judge's environment is used; it is not shown here."}
      </p>
      <Loaded query={settings}>
        {({ llm }) => (
          <div className="flex flex-col gap-3">
            {providers.map((provider) => (
              <ProviderKey
                key={provider.key}
                provider={provider}
                masked={llm[provider.key].masked}
                isTenant={isTenant}
              />
            ))}
          </div>
        )}
      </Loaded>
    </Section>
  );
}

function ProviderKey({ provider, masked, isTenant }: { provider: Provider; masked: string | null; isTenant: boolean }) {
  const api = useApi();
  const queries = useQueryClient();
  const { say } = useToasts();
  const { may, why } = useAdministers();
  const [key, setKey] = useState("");
  const [isRemoving, setRemoving] = useState(false);
  const store = useMutation({
    mutationFn: (value: string | null) =>
      bodyOf(api.PUT("/api/v1/agent-monitoring/settings/llm-keys", { body: { [provider.field]: value } })),
    onSuccess: (_, value) => {
      setKey("");
      say(`${provider.name}: ${value === null ? "key removed" : "key stored"}. Judges use it within 5 s.`);
      void queries.invalidateQueries({ queryKey: [api.projectId] });
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (key.trim() !== "" && may) store.mutate(key.trim());
  }
  return (
    <Panel className="p-4">
      <header className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="m-0 text-sm">{provider.name}</h3>
        {masked === null ? <Badge>no key stored</Badge> : <Badge look="good">stored</Badge>}
        {masked !== null && <code>{masked}</code>}
      </header>
      <NeededBy provider={provider} />
      <form onSubmit={submit} className="mt-3 flex flex-wrap items-end gap-2">
        <div className="min-w-0 flex-1 basis-72">
          <TextField
            label={masked === null ? `${provider.name} key` : `New ${provider.name} key`}
            type="password"
            autoComplete="off"
            spellCheck={false}
            placeholder={`${provider.begins}...`}
            disabled={!may}
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        </div>
        <Button
          type="submit"
          look="primary"
          isBusy={store.isPending && store.variables !== null}
          disabled={!may || key.trim() === ""}
          hint={why}
        >
          {masked === null ? "Store" : "Replace"}
        </Button>
        {masked !== null && (
          <Button look="danger" disabled={!may} hint={why} onClick={() => setRemoving(true)}>
            Remove
          </Button>
        )}
      </form>
      {store.error !== null && !isRemoving && <ProblemLine problem={store.error} className="mt-2" />}
      <ConfirmDialog
        isOpen={isRemoving}
        onClose={() => setRemoving(false)}
        title={`Remove the ${provider.name} key?`}
        verb="Remove the key"
        onConfirm={() => store.mutateAsync(null)}
      >
        {isTenant
          ? `Judges that use a model of ${provider.name} skip results until a key is stored again.`
          : `Judges that use a model of ${provider.name} fall back to ${provider.variable} in the judge's environment; without that they skip results.`}
      </ConfirmDialog>
    </Panel>
  );
}

/** The models of the catalogue that need the key. */
function NeededBy({ provider }: { provider: Provider }) {
  const models = useQuery(modelsQuery(useApi()));
  const own = models.data?.models.filter((model) => model.provider === provider.key) ?? [];
  if (models.data === undefined) return null;
  return (
    <p className="m-0 text-xs text-faint">
      {own.length === 0 ? "No model in the catalogue needs it." : `Needed by ${own.map(({ id }) => id).join(", ")}.`}
    </p>
  );
}
