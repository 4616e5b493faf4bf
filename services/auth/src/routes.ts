import { routes } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import type { ServedRoute } from "@touchstone/service-kit";
import type { Accounts } from "./accounts/accounts.ts";
import type { MembershipStore } from "./accounts/membership-store.ts";
import type { AuditReader } from "./audit/audit-reader.ts";
import type { AccountsConfig } from "./config.ts";
import { getAuthConfig } from "./http/accounts.ts";
import { answerAccountRoute } from "./http/answer-account-route.ts";
import { listExportRoutes } from "./http/export.ts";
import { listInternalRoutes } from "./http/internal.ts";
import { listProjectRoutes } from "./http/projects.ts";
import { listSettingsRoutes } from "./http/settings.ts";
import type { ModelStore } from "./models/model-store.ts";
import type { ReadExportedProject } from "./projects/exported-project-reader.ts";
import type { OrganizationReader } from "./projects/organization-reader.ts";
import type { ProjectDeletionStore } from "./projects/project-deletion-store.ts";
import type { ProjectStore } from "./projects/project-store.ts";
import type { ProviderKeyStore } from "./provider-keys/provider-key-store.ts";
import type { ProjectSettingsStore } from "./settings/project-settings-store.ts";

/** All routes of auth; the sign-in family only if accounts are enabled. */
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
  const signIn = Object.values(routes).filter(({ authentication }) => authentication[0] === "account");
  return [
    ...listInternalRoutes(dependencies),
    { route: routes.getAuthConfig, handle: getAuthConfig(dependencies) },
    ...listProjectRoutes({ ...dependencies, hasAccounts: accounts !== null }),
    ...listSettingsRoutes(dependencies),
    ...listExportRoutes(dependencies),
    ...(accounts === null ? [] : signIn.map((route) => ({ route, handle: answerAccountRoute({ accounts }, route) }))),
  ];
}
