import type { Database } from "@touchstone/db";
import type { Handler } from "@touchstone/service-kit";
import { actOf, recordAudit } from "../../audit/record-audit.ts";
import { uncached } from "../../projects/show-project.ts";
import type { KeyChanges, ProviderKeyStore } from "../../provider-keys/provider-key-store.ts";
import { showLlmKeys } from "../../provider-keys/show-llm-keys.ts";
import { readSubmittedLlmKeys } from "../../provider-keys/submitted-llm-keys.ts";
import type { ProjectSettingsStore } from "../../settings/project-settings-store.ts";
import { requireOwnProject } from "../../settings/require-own-project.ts";

export interface SetLlmKeysDependencies {
  database: Database;
  settings: ProjectSettingsStore;
  providerKeys: ProviderKeyStore;
}

/** `PUT .../llm-keys`: of the project's organization, or of the installation where it has none (completions 11.3). */
export function setLlmKeys({ database, settings, providerKeys }: SetLlmKeysDependencies): Handler {
  return async (call) => {
    const changes = readSubmittedLlmKeys(await call.json());
    const { projectId, organizationId } = await requireOwnProject(settings, call);
    await database.transaction(async (transaction) => {
      await providerKeys.change(transaction, organizationId, changes);
      const details = describeChanges(changes);
      await recordAudit(transaction, { ...actOf(call.identity), action: "provider-keys.changed", projectId, details });
    });
    const keys = await providerKeys.read(organizationId);
    return { status: 200, headers: uncached, body: { llm: showLlmKeys(keys) } };
  };
}

/** Which keys were stored or removed; nothing of a key itself. */
function describeChanges(changes: KeyChanges): Record<string, "stored" | "removed"> {
  return Object.fromEntries(
    Object.entries(changes).map(([provider, key]) => [provider, key === null ? "removed" : "stored"]),
  );
}
