import { internalRoutes, routes } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import type { ServedRoute } from "@touchstone/service-kit";
import type { Accounts } from "../accounts/accounts.ts";
import type { MembershipStore } from "../accounts/membership-store.ts";
import type { AuditReader } from "../audit/audit-reader.ts";
import type { AccountsConfig } from "../config.ts";
import type { ModelStore } from "../models/model-store.ts";
import type { ReadExportedProject } from "../projects/exported-project.ts";
import type { OrganizationReader } from "../projects/organization-reader.ts";
import type { ProjectDeletionStore } from "../projects/project-deletion-store.ts";
import type { ProjectStore } from "../projects/project-store.ts";
import type { ProviderKeyStore } from "../provider-keys/provider-key-store.ts";
import type { ProjectSettingsStore } from "../settings/project-settings-store.ts";
import { answerAccountRoute } from "./accounts/answer-account-route.ts";
import { getAuthConfig } from "./auth/get-auth-config.ts";
import { exportAuditEvents } from "./export/export-audit-events.ts";
import { exportProjectSettings } from "./export/export-project-settings.ts";
import { countExported } from "./internal/count-exported.ts";
import { readAccessSettings } from "./internal/read-access-settings.ts";
import { readAudit } from "./internal/read-audit.ts";
import { readDefaultKey } from "./internal/read-default-key.ts";
import { readOrganizations } from "./internal/read-organizations.ts";
import { readProviderKeys } from "./internal/read-provider-keys.ts";
import { resolveKey } from "./internal/resolve-key.ts";
import { resolveSession } from "./internal/resolve-session.ts";
import { createProject } from "./projects/create-project.ts";
import { deleteProject } from "./projects/delete-project.ts";
import { listProjects } from "./projects/list-projects.ts";
import { renameProject } from "./projects/rename-project.ts";
import { rotateProjectKey } from "./projects/rotate-project-key.ts";
import { regenerateApiKey } from "./settings/regenerate-api-key.ts";
import { setLlmKeys } from "./settings/set-llm-keys.ts";
import { setPlatformModel } from "./settings/set-platform-model.ts";

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
