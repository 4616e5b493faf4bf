import path from "node:path";
import { type Bus, type Consuming, connectBus, createOutboxRelay, type OutboxRelay, tellAtOnce } from "@touchstone/bus";
import {
  keepModelPrices,
  keyRevoked,
  membershipChanged,
  modelPricesChanged,
  type PriceList,
  projectDeleting,
} from "@touchstone/contracts";
import { createOutboxStore, openDatabase, prepareSchema, rolesOf, type SchemaPreparation } from "@touchstone/db";
import {
  type Clock,
  countDeadLetters,
  createHttpServer,
  createOutboundFetch,
  type Handler,
  type Logger,
  type Metrics,
  type Readiness,
  type Service,
  serviceStarting,
} from "@touchstone/service-kit";
import { createAccounts } from "./accounts/accounts.ts";
import { createMembershipStore } from "./accounts/membership-store.ts";
import { createOwnAccountStore } from "./accounts/own-account-store.ts";
import { createOwnPassword } from "./accounts/own-password.ts";
import { createPasswordHashing } from "./accounts/password-hashing.ts";
import { createSignInAttempts } from "./accounts/sign-in-attempts.ts";
import { type ExpirySweeper, sweepExpired } from "./accounts/sweep-expired.ts";
import { createAuditReader } from "./audit/audit-reader.ts";
import { consumeActsRecorded } from "./audit/bus.ts";
import { createActFile } from "./audit/file-act.ts";
import type { AuthConfig, MailConfig } from "./config.ts";
import { listOwnAccountRoutes } from "./http/accounts.ts";
import { listInvitationRoutes } from "./http/invitations.ts";
import { listModelRoutes } from "./http/models.ts";
import { listOrganizationRoutes } from "./http/organizations.ts";
import { createMailer, type Mailer, type MailTransport } from "./mail/mailer.ts";
import { createFileTransport, createHostedTransport, createSmtpTransport } from "./mail/transports.ts";
import { announceModels, type ModelAnnouncer } from "./models/announce-models.ts";
import { consumeModelPricesHandedOver } from "./models/bus.ts";
import { createModelStore } from "./models/model-store.ts";
import { createInvitationStore } from "./organizations/invitation-store.ts";
import { createOrganizationStore } from "./organizations/organization-store.ts";
import { createKeyVault } from "./project-keys/key-vault.ts";
import { announceUnfinishedDeletions, type DeletionAnnouncer } from "./projects/announce-deletions.ts";
import { consumeDataDeleted } from "./projects/bus.ts";
import { prepareDefaultProject } from "./projects/default-project.ts";
import { createExportedProjectReader } from "./projects/exported-project.ts";
import { createOrganizationReader } from "./projects/organization-reader.ts";
import { createProjectDeletionStore } from "./projects/project-deletion-store.ts";
import { createProjectStore } from "./projects/project-store.ts";
import { createProviderKeyStore } from "./provider-keys/provider-key-store.ts";
import { listRoutes } from "./routes.ts";
import { createProjectSettingsStore } from "./settings/project-settings-store.ts";

const schema = "auth";

export interface AuthDependencies {
  logger: Logger;
  clock: Clock;
  metrics: Metrics;
}

/**
 * Auth owns projects and their keys, accounts, sessions and organizations, and answers the gateway's question whose key
 * or session one is. It serves as soon as it
 * listens; until PostgreSQL, the schema and the default project are there, every request is answered 503.
 */
export function createAuth(config: AuthConfig, { logger, clock, metrics }: AuthDependencies): Service {
  const openPool = (role: string, connectionsMax: number) =>
    openDatabase({
      url: config.databaseUrl,
      role,
      applicationName: "touchstone auth",
      connectionsMax,
      statementTimeoutMs: 5_000,
      logger,
    });
  const database = openPool(rolesOf(schema).app, 8);
  const maintenance = openPool(rolesOf(schema).maintenance, 2);
  const vault = createKeyVault(config.rootSecret);
  const projects = createProjectStore(database, vault, clock);
  const { accounts: accountsConfig } = config;
  const multiTenant = accountsConfig?.multiTenant ?? false;
  const openSignup = accountsConfig?.openSignup ?? false;
  const providerKeys = createProviderKeyStore(database, vault, clock);
  const tellPrices = async (list: PriceList): Promise<void> => {
    if (bus !== null) await tellAtOnce({ bus, logger }, keepModelPrices, list);
  };
  const models = createModelStore(database, vault, tellPrices);
  const modelReach = { allowsPrivateHosts: config.allowsPrivateHosts };
  const fetchModels = createOutboundFetch(modelReach);
  const members = createMembershipStore({ database, vault, providerKeys, models, clock, multiTenant, openSignup });
  const mailer = accountsConfig?.mail ? openMailer(accountsConfig.mail, logger) : null;
  const accounts = accountsConfig && createAccounts({ ...accountsConfig, database, members, mailer, clock, logger });
  const projectDeletions = createProjectDeletionStore(database, maintenance);
  const settings = createProjectSettingsStore(database);
  const audit = createAuditReader(database);
  const announceRevocations = () => relay?.wake();
  const ofOrganizations = accountsConfig && {
    organizations: createOrganizationStore(database),
    invitations: createInvitationStore({ database, requiresVerification: accountsConfig.requiresVerification }),
    audit,
    mailer,
    publicUrl: accountsConfig.publicUrl,
    announceRevocations,
  };
  const ofOwnAccount = accountsConfig && {
    ownAccounts: createOwnAccountStore(database),
    ownPassword: createOwnPassword({
      database,
      // What it refuses comes back as it is thrown: no library stands between.
      hashing: createPasswordHashing(() => undefined),
      attempts: createSignInAttempts({ database, secret: accountsConfig.secret, clock }),
    }),
    announceRevocations,
  };
  const http = createHttpServer({
    service: "auth",
    routes: [
      ...(ofOrganizations === null
        ? []
        : [...listOrganizationRoutes(ofOrganizations), ...listInvitationRoutes(ofOrganizations)]),
      ...(ofOwnAccount === null ? [] : listOwnAccountRoutes(ofOwnAccount)),
      ...listModelRoutes({ settings, models, multiTenant, modelReach, fetchModels }),
      ...listRoutes({
        database,
        settings,
        models,
        providerKeys,
        multiTenant,
        projects,
        projectDeletions,
        members,
        accountsConfig,
        accounts,
        readExportedProject: createExportedProjectReader(database),
        organizations: createOrganizationReader(database),
        audit,
        announceRevocations,
      }),
    ].map(({ route, handle }) => ({
      route,
      handle: onceReady(handle),
    })),
    rootSecret: config.rootSecret,
    clock,
    logger,
    metrics,
    readiness,
  });
  let bus: Bus | null = null;
  let relay: OutboxRelay | null = null;
  let announcer: DeletionAnnouncer | null = null;
  let sweeper: ExpirySweeper | null = null;
  let modelAnnouncer: ModelAnnouncer | null = null;
  let confirmations: Promise<Consuming> | null = null;
  let handedOver: Promise<Consuming> | null = null;
  let foreignActs: Promise<Consuming> | null = null;
  let preparation: { schema: SchemaPreparation; defaultProject: SchemaPreparation } | null = null;
  let stopped = false;

  function onceReady(handle: Handler): Handler {
    return async (call) => {
      if (preparation?.defaultProject.state() !== "ok") {
        throw serviceStarting();
      }
      return handle(call);
    };
  }

  async function readiness(): Promise<Readiness> {
    const checks = {
      schema: preparation?.schema.state() ?? "not started",
      projects: preparation?.defaultProject.state() ?? "not started",
      database: await database.check(),
      // Without the bus gateways forget a revoked key within 5 s by themselves: late, not broken.
      bus: bus?.status() ?? "not started",
    };
    return { ready: checks.schema === "ok" && checks.projects === "ok" && checks.database === "ok", checks };
  }

  return {
    name: "auth",
    async start() {
      const connected = connectBus({
        url: config.nats.url,
        user: config.nats.user,
        password: config.nats.password?.reveal(),
        service: "auth",
        logger,
        onDeadLetter: countDeadLetters({ service: "auth", metrics }),
      });
      bus = connected;
      const migration = prepareSchema({
        url: config.databaseUrl,
        schema,
        directory: path.join(import.meta.dirname, "..", "migrations"),
        logger,
      });
      const defaultProject = prepareDefaultProject({
        schema: migration,
        projects,
        isWanted: !multiTenant,
        logger,
      });
      preparation = { schema: migration, defaultProject };
      void defaultProject.done.then(() => {
        if (stopped) return;
        relay = createOutboxRelay({
          store: createOutboxStore(maintenance, schema),
          bus: connected,
          events: [keyRevoked, membershipChanged, modelPricesChanged, projectDeleting],
          logger,
          pollMs: 1_000,
        });
        announcer = announceUnfinishedDeletions({ projectDeletions, onAnnounced: () => relay?.wake(), logger });
        if (accounts !== null) sweeper = sweepExpired({ database, clock, logger });
        confirmations = consumeDataDeleted(connected, { projectDeletions, logger });
        handedOver = consumeModelPricesHandedOver(connected, { models });
        foreignActs = consumeActsRecorded(connected, { acts: createActFile(database) });
        modelAnnouncer = announceModels({ models, logger });
      });
      return { address: await http.listen(config.listen) };
    },
    async stop() {
      stopped = true;
      preparation?.schema.stop();
      preparation?.defaultProject.stop();
      await http.stop();
      await mailer?.stop();
      await accounts?.stop();
      await (await confirmations)?.stop();
      await (await handedOver)?.stop();
      await (await foreignActs)?.stop();
      await modelAnnouncer?.stop();
      await announcer?.stop();
      await sweeper?.stop();
      await relay?.stop();
      await bus?.drain();
      await fetchModels.close();
      await Promise.all([database.close(), maintenance.close()]);
    },
    readiness,
  };
}

function openMailer(config: MailConfig, logger: Logger): Mailer {
  return createMailer({ transport: openTransport(config), logger });
}

function openTransport(config: MailConfig): MailTransport {
  if (config.kind === "files") return createFileTransport(config.folder, config.from);
  if (config.kind === "smtp") return createSmtpTransport(config.url, config.from);
  return createHostedTransport(config);
}
