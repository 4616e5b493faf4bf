import path from "node:path";
import { createOutboxRelay, type OutboxRelay, reportAtOnce } from "@touchstone/bus";
import {
  keepModelPrices,
  keyRevoked,
  membershipChanged,
  modelPricesChanged,
  projectDeleting,
} from "@touchstone/contracts";
import { createOutboxStore } from "@touchstone/db";
import {
  createOutboundFetch,
  type HttpServer,
  type Logger,
  type ServedRoute,
  type Service,
} from "@touchstone/service-kit";
import { createStoreService, type StoreServiceDependencies, type StoreServiceKit } from "@touchstone/store-service";
import { createAccounts } from "./accounts/accounts.ts";
import { createMembershipStore } from "./accounts/membership-store.ts";
import { createOwnAccountStore } from "./accounts/own-account-store.ts";
import { createOwnPassword } from "./accounts/own-password.ts";
import { createPasswordHashing } from "./accounts/password-hashing.ts";
import { createSignInAttempts } from "./accounts/sign-in-attempts.ts";
import { sweepExpired } from "./accounts/sweep-expired.ts";
import { createAuditReader } from "./audit/audit-reader.ts";
import { consumeActsRecorded } from "./audit/bus.ts";
import { createActFile } from "./audit/reported-act-store.ts";
import type { AuthConfig, MailConfig } from "./config.ts";
import { listOwnAccountRoutes } from "./http/accounts.ts";
import { listInvitationRoutes } from "./http/invitations.ts";
import { listModelRoutes } from "./http/models.ts";
import { listOrganizationRoutes } from "./http/organizations.ts";
import { createMailer, type Mailer, type MailTransport } from "./mail/mailer.ts";
import { createFileTransport, createHostedTransport, createSmtpTransport } from "./mail/transports.ts";
import { announceModels } from "./models/announce-models.ts";
import { consumeModelPricesHandedOver } from "./models/bus.ts";
import { createModelStore } from "./models/model-store.ts";
import { createInvitationStore } from "./organizations/invitation-store.ts";
import { createOrganizationStore } from "./organizations/organization-store.ts";
import { createKeyVault } from "./project-keys/key-vault.ts";
import { announceUnfinishedDeletions } from "./projects/announce-deletions.ts";
import { consumeDataDeleted } from "./projects/bus.ts";
import { prepareDefaultProject } from "./projects/default-project.ts";
import { createExportedProjectReader } from "./projects/exported-project-reader.ts";
import { createOrganizationReader } from "./projects/organization-reader.ts";
import { createProjectDeletionStore } from "./projects/project-deletion-store.ts";
import { createProjectStore } from "./projects/project-store.ts";
import { createProviderKeyStore } from "./provider-keys/provider-key-store.ts";
import { listRoutes } from "./routes.ts";
import { createProjectSettingsStore } from "./settings/project-settings-store.ts";

const schema = "auth";

/** The schema of the service in PostgreSQL, and its migrations. */
export const authSchema = { schema, directory: path.join(import.meta.dirname, "..", "migrations") };

/**
 * Auth owns projects and their keys, accounts, sessions and organizations, and resolves keys and sessions for the
 * gateway. It listens at once; until PostgreSQL, the schema and the default project are ready, every request gets 503.
 */
export function createAuth(config: AuthConfig, dependencies: StoreServiceDependencies): Service {
  return createStoreService({
    name: "auth",
    schema: authSchema,
    config,
    dependencies,
    open: (kit) => openAuth(kit, config),
  });
}

function openAuth(kit: StoreServiceKit, config: AuthConfig): HttpServer {
  const { logger, migration } = kit;
  let relay: OutboxRelay | null = null;
  const wakeRelay = (): void => relay?.wake();
  const parts = openParts(kit, config, wakeRelay);
  const { database, maintenance, bus, projects, projectDeletions, models, accounts, mailer, multiTenant } = parts;
  const defaultProject = prepareDefaultProject({ schema: migration, projects, isWanted: !multiTenant, logger });
  kit.background(
    [
      () =>
        (relay = createOutboxRelay({
          store: createOutboxStore(maintenance, schema),
          bus,
          events: [keyRevoked, membershipChanged, modelPricesChanged, projectDeleting],
          logger,
          pollMs: 1_000,
        })),
      ...(accounts === null ? [] : [() => sweepExpired({ database, logger })]),
      () => announceUnfinishedDeletions({ projectDeletions, onAnnounced: wakeRelay, logger }),
      () => announceModels({ models, logger }),
      () => consumeActsRecorded(bus, { acts: createActFile(database) }),
      () => consumeModelPricesHandedOver(bus, { models }),
      () => consumeDataDeleted(bus, { projectDeletions, logger }),
    ],
    defaultProject,
  );
  kit.defer(() => accounts?.stop());
  kit.defer(() => mailer?.stop());
  const server = kit.serve({
    routes: listAllRoutes(kit, parts, wakeRelay).map(({ route, handle }) => ({
      route,
      handle: kit.onceReady(handle, defaultProject),
    })),
    readiness: {
      needed: { schema: migration.state, projects: defaultProject.state, database: database.check },
      // Without the bus, gateways drop a revoked key within 5 s by themselves: late, but safe.
      shown: { bus: bus.status },
    },
  });
  kit.defer(() => defaultProject.stop());
  return server;
}

/** The parts of requests and background work. */
function openParts(kit: StoreServiceKit, config: AuthConfig, announceRevocations: () => void) {
  const { clock, logger } = kit;
  const pool = { applicationName: "touchstone auth", statementTimeoutMs: 5_000 };
  const database = kit.openPool({ ...pool, role: "app", connectionsMax: 8 });
  const maintenance = kit.openPool({ ...pool, role: "maintenance", connectionsMax: 2 });
  const modelReach = { allowsPrivateHosts: config.allowsPrivateHosts };
  const fetchModels = kit.keep(createOutboundFetch(modelReach));
  kit.watchOutbox(createOutboxStore(maintenance, schema));
  const bus = kit.connectBus();
  const vault = createKeyVault(config.rootSecret);
  const { accounts: accountsConfig } = config;
  const multiTenant = accountsConfig?.multiTenant ?? false;
  const openSignup = accountsConfig?.openSignup ?? false;
  const providerKeys = createProviderKeyStore(database, vault, clock);
  const models = createModelStore(database, vault, (list) => reportAtOnce({ bus, logger }, keepModelPrices, list));
  const members = createMembershipStore({ database, vault, providerKeys, models, clock, multiTenant, openSignup });
  const mailer = accountsConfig?.mail ? openMailer(accountsConfig.mail, logger) : null;
  return {
    ...{ database, maintenance, bus, modelReach, fetchModels },
    ...{ accountsConfig, multiTenant, providerKeys, models, members, mailer },
    accounts:
      accountsConfig &&
      createAccounts({ ...accountsConfig, database, members, mailer, announceRevocations, clock, logger }),
    projects: createProjectStore(database, vault, clock),
    projectDeletions: createProjectDeletionStore(database, maintenance),
    settings: createProjectSettingsStore(database),
    audit: createAuditReader(database),
  };
}

function listAllRoutes(
  { clock }: StoreServiceKit,
  parts: ReturnType<typeof openParts>,
  announceRevocations: () => void,
): ServedRoute[] {
  const { database, accountsConfig, audit, mailer } = parts;
  const always = [
    ...listModelRoutes(parts),
    ...listRoutes({
      ...parts,
      readExportedProject: createExportedProjectReader(database),
      organizations: createOrganizationReader(database),
      announceRevocations,
    }),
  ];
  if (accountsConfig === null) return always;
  const { requiresVerification, publicUrl, secret } = accountsConfig;
  const ofOrganizations = {
    organizations: createOrganizationStore(database),
    invitations: createInvitationStore({ database, requiresVerification }),
    ...{ audit, mailer, publicUrl, announceRevocations },
  };
  const ownPassword = createOwnPassword({
    database,
    // Its errors reach the caller directly: no library is in between.
    hashing: createPasswordHashing(() => undefined),
    attempts: createSignInAttempts({ database, secret, clock }),
  });
  return [
    ...listOrganizationRoutes(ofOrganizations),
    ...listInvitationRoutes(ofOrganizations),
    ...listOwnAccountRoutes({ ownAccounts: createOwnAccountStore(database), ownPassword, announceRevocations }),
    ...always,
  ];
}

function openMailer(config: MailConfig, logger: Logger): Mailer {
  return createMailer({ transport: openTransport(config), logger });
}

function openTransport(config: MailConfig): MailTransport {
  if (config.kind === "files") return createFileTransport(config.folder, config.from);
  if (config.kind === "smtp") return createSmtpTransport(config.url, config.from);
  return createHostedTransport(config);
}
