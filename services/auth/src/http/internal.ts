import { internalRoutes } from "@touchstone/contracts";
import { type Handler, projectDeleted, requireProject, type ServedRoute } from "@touchstone/service-kit";
import type { Accounts } from "../accounts/accounts.ts";
import type { MembershipStore } from "../accounts/membership-store.ts";
import { type AuditReader, showPage } from "../audit/audit-reader.ts";
import { priceOf } from "../models/model.ts";
import type { ModelStore } from "../models/model-store.ts";
import type { OrganizationReader } from "../projects/organization-reader.ts";
import type { ProjectStore } from "../projects/project-store.ts";
import { type ProviderKeyStore, showLlmKeys } from "../provider-keys/provider-key-store.ts";
import type { ProjectSettingsStore } from "../settings/project-settings-store.ts";

/** Internal routes for other services. */
export function listInternalRoutes(dependencies: {
  projects: ProjectStore;
  /** Null in default mode. */
  accounts: Accounts | null;
  members: MembershipStore;
  organizations: OrganizationReader;
  audit: AuditReader;
  settings: ProjectSettingsStore;
  providerKeys: ProviderKeyStore;
  models: ModelStore;
  multiTenant: boolean;
}): ServedRoute[] {
  return [
    { route: internalRoutes.resolveKey, handle: resolveKey(dependencies) },
    { route: internalRoutes.resolveSession, handle: resolveSession(dependencies) },
    { route: internalRoutes.readDefaultKey, handle: readDefaultKey(dependencies) },
    { route: internalRoutes.readOrganizations, handle: readOrganizations(dependencies) },
    { route: internalRoutes.readAudit, handle: readAudit(dependencies) },
    { route: internalRoutes.readAccessSettings, handle: readAccessSettings(dependencies) },
    { route: internalRoutes.readProjectName, handle: readProjectName(dependencies) },
    { route: internalRoutes.readProviderKeys, handle: readProviderKeys(dependencies) },
  ];
}

/** Answers the gateway: the owner of a key. */
function resolveKey({ projects }: { projects: ProjectStore }): Handler {
  return async (call) => {
    const { apiKey } = internalRoutes.resolveKey.body.parse(await call.json());
    return { status: 200, body: { key: await projects.resolveKey(apiKey) } };
  };
}

/** Answers the gateway: the user of a session cookie, and their access. Without accounts every cookie is unknown. */
function resolveSession(dependencies: { accounts: Accounts | null; members: MembershipStore }): Handler {
  const { accounts, members } = dependencies;
  return async (call) => {
    const { cookie } = internalRoutes.resolveSession.body.parse(await call.json());
    const userId = (await accounts?.findUser(cookie)) ?? null;
    if (userId === null) return { status: 200, body: { session: null } };
    const [memberships, projects] = await Promise.all([members.membershipsOf(userId), members.projectsOf(userId)]);
    return { status: 200, body: { session: { userId, memberships, projects } } };
  };
}

/** Answers dropin: the name of the caller's project. */
function readProjectName({ projects }: { projects: ProjectStore }): Handler {
  return async (call) => {
    const name = await projects.readName(requireProject(call));
    if (name === null) throw projectDeleted(new Error("the project has no key"));
    return { status: 200, body: { name } };
  };
}

interface ReadDefaultKeyDependencies {
  projects: ProjectStore;
  multiTenant: boolean;
}

/**
 * The key for the line at start (completions 1.1). Null in multi-tenant mode, which has no default project, not even
 * one left from before.
 */
function readDefaultKey({ projects, multiTenant }: ReadDefaultKeyDependencies): Handler {
  return async () => {
    const project = multiTenant ? null : await projects.findDefaultProject();
    return { status: 200, body: { apiKey: project?.apiKey ?? null } };
  };
}

/** Answers the gateway: the organizations and their projects. */
function readOrganizations({ organizations }: { organizations: OrganizationReader }): Handler {
  return async (call) => {
    const { organizationId } = internalRoutes.readOrganizations.body.parse(await call.json());
    const [listed, unassigned] = await Promise.all([
      organizations.listOrganizations(organizationId),
      organizationId === null ? organizations.listUnassigned() : [],
    ]);
    return {
      status: 200,
      body: {
        organizations: listed.map((each) => ({ ...each, createdAt: each.createdAt.toISOString() })),
        unassigned,
      },
    };
  };
}

/** Answers the gateway for the operator: the administrative acts of the whole installation. */
function readAudit({ audit }: { audit: AuditReader }): Handler {
  return async (call) => {
    const { before, limit } = internalRoutes.readAudit.body.parse(await call.json());
    return { status: 200, body: showPage(await audit.listOfAll({ before, limit: limit + 1 }), limit) };
  };
}

interface ReadAccessSettingsDependencies {
  projects: ProjectStore;
  settings: ProjectSettingsStore;
  providerKeys: ProviderKeyStore;
}

/** Auth's part of `GET /agent-monitoring/settings`; null for a deleted project. */
function readAccessSettings(dependencies: ReadAccessSettingsDependencies): Handler {
  const { projects, settings, providerKeys } = dependencies;
  return async (call) => {
    const { projectId } = internalRoutes.readAccessSettings.body.parse(await call.json());
    const stored = await settings.read(projectId);
    const apiKey = stored === null ? null : await projects.readKey(projectId);
    if (stored === null || apiKey === null) return { status: 200, body: { settings: null } };
    const keys = await providerKeys.read(stored.organizationId);
    return {
      status: 200,
      body: { settings: { apiKey, platformModel: stored.platformModel, llm: showLlmKeys(keys) } },
    };
  };
}

interface ReadProviderKeysDependencies {
  settings: ProjectSettingsStore;
  providerKeys: ProviderKeyStore;
  models: Pick<ModelStore, "list">;
  multiTenant: boolean;
}

const none = { openai: null, anthropic: null, gemini: null };

/**
 * Answers the judge: the keys and models for a project's calls (decision 27). The project's organization is looked up
 * here, not taken from the request. A deleted project has none.
 */
function readProviderKeys({ settings, providerKeys, models, multiTenant }: ReadProviderKeysDependencies): Handler {
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
