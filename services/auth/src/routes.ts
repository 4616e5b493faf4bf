import { internalRoutes, routes } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import type { ServedRoute } from "@touchstone/service-kit";
import type { Accounts } from "./accounts/accounts.ts";
import type { MembershipStore } from "./accounts/membership-store.ts";
import type { AuditReader } from "./audit/audit-reader.ts";
import type { AccountsConfig } from "./config.ts";
import { answerAccountRoute } from "./http/answer-account-route.ts";
import { getAuthConfig } from "./http/auth/get-auth-config.ts";
import { exportAuditEvents } from "./http/export/export-audit-events.ts";
import { exportProjectSettings } from "./http/export/export-project-settings.ts";
import { countExported } from "./http/internal/count-exported.ts";
import { readAccessSettings } from "./http/internal/read-access-settings.ts";
import { readAudit } from "./http/internal/read-audit.ts";
import { readDefaultKey } from "./http/internal/read-default-key.ts";
import { readOrganizations } from "./http/internal/read-organizations.ts";
import { readProviderKeys } from "./http/internal/read-provider-keys.ts";
import { resolveKey } from "./http/internal/resolve-key.ts";
import { resolveSession } from "./http/internal/resolve-session.ts";
import { createProject } from "./http/projects/create-project.ts";
import { deleteProject } from "./http/projects/delete-project.ts";
import { listProjects } from "./http/projects/list-projects.ts";
import { renameProject } from "./http/projects/rename-project.ts";
import { rotateProjectKey } from "./http/projects/rotate-project-key.ts";
import { regenerateApiKey } from "./http/settings/regenerate-api-key.ts";
import { setLlmKeys } from "./http/settings/set-llm-keys.ts";
import { setPlatformModel } from "./http/settings/set-platform-model.ts";
import type { ModelStore } from "./models/model-store.ts";
import type { ReadExportedProject } from "./projects/exported-project.ts";
import type { OrganizationReader } from "./projects/organization-reader.ts";
import type { ProjectDeletionStore } from "./projects/project-deletion-store.ts";
import type { ProjectStore } from "./projects/project-store.ts";
import type { ProviderKeyStore } from "./provider-keys/provider-key-store.ts";
import type { ProjectSettingsStore } from "./settings/project-settings-store.ts";

/** Everything auth serves; the sign-in family only where accounts are enabled. */
export function listRoutes(dependencies: {
  database: Database;
  settings: ProjectSettingsStore;
  providerKeys: ProviderKeyStore;
  models: ModelStore;
  multiTenant: boolean;
  projects: ProjectStore;
  projectDeletions: ProjectDeletionStore;
  members: MembershipStore;
  accountsConfig: AccountsConfig | null;
  accounts: Accounts | null;
  readExportedProject: ReadExportedProject;
  organizations: OrganizationReader;
  audit: AuditReader;
  announceRevocations: () => void;
}): ServedRoute[] {
  const { accounts } = dependencies;
  const hasAccounts = accounts !== null;
  const signIn = Object.values(routes).filter(({ authentication }) => authentication[0] === "account");
  return [
    { route: internalRoutes.resolveKey, handle: resolveKey(dependencies) },
    { route: internalRoutes.resolveSession, handle: resolveSession(dependencies) },
    { route: internalRoutes.readDefaultKey, handle: readDefaultKey(dependencies) },
    { route: routes.getAuthConfig, handle: getAuthConfig(dependencies) },
    { route: routes.listProjects, handle: listProjects({ ...dependencies, hasAccounts }) },
    { route: routes.createProject, handle: createProject({ ...dependencies, hasAccounts }) },
    { route: routes.renameProject, handle: renameProject({ ...dependencies, hasAccounts }) },
    { route: routes.deleteProject, handle: deleteProject({ ...dependencies, hasAccounts }) },
    { route: routes.rotateProjectKey, handle: rotateProjectKey({ ...dependencies, hasAccounts }) },
    { route: routes.exportAuditEvents, handle: exportAuditEvents(dependencies) },
    { route: routes.exportProjectSettings, handle: exportProjectSettings(dependencies) },
    { route: internalRoutes.countAuthExport, handle: countExported(dependencies) },
    { route: internalRoutes.readOrganizations, handle: readOrganizations(dependencies) },
    { route: internalRoutes.readAudit, handle: readAudit(dependencies) },
    { route: routes.setLlmKeys, handle: setLlmKeys(dependencies) },
    { route: routes.regenerateApiKey, handle: regenerateApiKey(dependencies) },
    { route: routes.setPlatformModel, handle: setPlatformModel(dependencies) },
    { route: internalRoutes.readAccessSettings, handle: readAccessSettings(dependencies) },
    { route: internalRoutes.readProviderKeys, handle: readProviderKeys(dependencies) },
    ...(accounts === null ? [] : signIn.map((route) => ({ route, handle: answerAccountRoute({ accounts }, route) }))),
  ];
}
