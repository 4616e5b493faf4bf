import { internalRoutes } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import { priceOf } from "../../models/model.ts";
import type { ModelStore } from "../../models/model-store.ts";
import type { ProviderKeyStore } from "../../provider-keys/provider-key-store.ts";
import type { ProjectSettingsStore } from "../../settings/project-settings-store.ts";

export interface ReadProviderKeysDependencies {
  settings: ProjectSettingsStore;
  providerKeys: ProviderKeyStore;
  models: Pick<ModelStore, "list">;
  multiTenant: boolean;
}

const none = { openai: null, anthropic: null, gemini: null };

/**
 * The judge's question: what are this project's calls made with (decision 27)? Whose project it is is looked up here, not
 * believed. A project that is gone has nothing.
 */
export function readProviderKeys({
  settings,
  providerKeys,
  models,
  multiTenant,
}: ReadProviderKeysDependencies): Handler {
  return async (call) => {
    const { projectId } = internalRoutes.readProviderKeys.body.parse(await call.json());
    const stored = await settings.read(projectId);
    const { organizationId = null, platformModel = null } = stored ?? {};
    const [keys, changes] =
      stored === null
        ? [none, []]
        : await Promise.all([providerKeys.read(organizationId), models.list({ organizationId, projectId })]);
    const custom = changes.flatMap(({ model, baseUrl, apiKey }) =>
      baseUrl === null ? [] : [{ model, baseUrl, apiKey }],
    );
    const prices = changes.map(priceOf);
    return {
      status: 200,
      body: { organizationId, isTenant: multiTenant, keys, platformModel, models: custom, prices },
    };
  };
}
