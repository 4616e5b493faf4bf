import { formatRevokedKeys, llmProviders, revokedKeysHeader, routes } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import { AppError, type Handler, parseBody, type ServedRoute } from "@touchstone/service-kit";
import { actOf, recordAudit } from "../audit/audit-event-store.ts";
import type { ProjectStore } from "../projects/project-store.ts";
import { type KeyChanges, type ProviderKeyStore, showLlmKeys } from "../provider-keys/provider-key-store.ts";
import { type ProjectSettingsStore, requireOwnProject } from "../settings/project-settings-store.ts";
import { uncached } from "./projects.ts";

/** Settings and key of a project (completions 11.3). */
export function listSettingsRoutes(dependencies: {
  database: Database;
  settings: ProjectSettingsStore;
  providerKeys: ProviderKeyStore;
  projects: ProjectStore;
  /** Publishes the committed event at once instead of a moment later. */
  announceRevocations: () => void;
}): ServedRoute[] {
  return [
    { route: routes.setLlmKeys, handle: setLlmKeys(dependencies) },
    { route: routes.regenerateApiKey, handle: regenerateApiKey(dependencies) },
    { route: routes.setPlatformModel, handle: setPlatformModel(dependencies) },
  ];
}

interface SetLlmKeysDependencies {
  database: Database;
  settings: ProjectSettingsStore;
  providerKeys: ProviderKeyStore;
}

/** `PUT .../llm-keys`: for the project's organization, or for the installation if it has none (completions 11.3). */
function setLlmKeys({ database, settings, providerKeys }: SetLlmKeysDependencies): Handler {
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

/** The changes in the body of `PUT .../llm-keys` (completions 11.3). Throws 400 for an invalid key. */
function readSubmittedLlmKeys(body: unknown): KeyChanges {
  const submitted = parseBody(body, routes.setLlmKeys.body);
  const changes = llmProviders.flatMap((provider) => {
    const key = submitted[`${provider}ApiKey`];
    return key === undefined ? [] : [[provider, key] as const];
  });
  if (changes.length > 0) return Object.fromEntries(changes);
  const members = llmProviders.map((provider) => `${provider}ApiKey`);
  throw new AppError("bad_request", `Give at least one of ${members.join(", ")}`);
}

/** Which keys were stored or removed, without any part of a key. */
function describeChanges(changes: KeyChanges): Record<string, "stored" | "removed"> {
  return Object.fromEntries(
    Object.entries(changes).map(([provider, key]) => [provider, key === null ? "removed" : "stored"]),
  );
}

interface RegenerateApiKeyDependencies {
  projects: ProjectStore;
  /** Publishes the committed event at once instead of a moment later. */
  announceRevocations: () => void;
}

/**
 * `POST .../api-key/regenerate`: a new key for the project whose key is sent; the old one is revoked (completions
 * 11.3).
 */
function regenerateApiKey({ projects, announceRevocations }: RegenerateApiKeyDependencies): Handler {
  return async ({ identity }) => {
    const project = identity.projectId === null ? null : await projects.rotateKey(identity.projectId, actOf(identity));
    if (project === null) throw new AppError("unauthorized", "Invalid or missing API key");
    announceRevocations();
    const headers = { ...uncached, [revokedKeysHeader]: formatRevokedKeys([project.id], "rotated") };
    return { status: 200, headers, body: { apiKey: project.apiKey } };
  };
}

interface SetPlatformModelDependencies {
  database: Database;
  settings: ProjectSettingsStore;
}

/** `PUT .../platform-model`: the model used if a request names none (completions 7.1, 11.3). */
function setPlatformModel({ database, settings }: SetPlatformModelDependencies): Handler {
  return async (call) => {
    const { model: platformModel } = parseBody(await call.json(), routes.setPlatformModel.body);
    const { projectId } = await requireOwnProject(settings, call);
    await database.transaction(async (transaction) => {
      const changed = await settings.setPlatformModel(transaction, projectId, platformModel);
      if (changed === null) throw new AppError("unauthorized", "Invalid or missing API key");
      const act = { ...actOf(call.identity), projectId };
      const details = { from: changed.before, to: platformModel };
      await recordAudit(transaction, { ...act, action: "project.platform-model-set", details });
    });
    return { status: 200, body: { platformModel } };
  };
}
