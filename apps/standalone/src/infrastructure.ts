import path from "node:path";
import { natsPermissions } from "@touchstone/bus";
import { type ServiceName, serviceNames } from "@touchstone/contracts";
import {
  type NatsUser,
  openHome,
  openSecret,
  type ServerEvent,
  startNats,
  startPostgres,
  type TouchstoneHome,
} from "@touchstone/embedded-servers";
import { deriveKey } from "@touchstone/service-kit";

/** A service's connection to the bus. */
export interface BusLogin {
  url: string;
  user?: string;
  password?: string;
}

/** The servers and secrets of a standalone, built in or the operator's own. */
export interface Infrastructure {
  databaseUrl: string;
  /** The folder of the built-in PostgreSQL and of what is known of its backups; null = a PostgreSQL of the operator. */
  databaseFolder: string | null;
  rootSecret: string;
  busLogin(service: ServiceName): BusLogin;
  stop(): Promise<void>;
}

export interface InfrastructureOptions {
  homeFolder: string;
  /** The operator's own servers and secret, where set. */
  databaseUrl: string | undefined;
  natsUrl: string | undefined;
  natsUser: string | undefined;
  natsPassword: string | undefined;
  rootSecret: string | undefined;
  onProgress: (message: string) => void;
  onServerEvent: (server: string, event: ServerEvent) => void;
}

/**
 * Starts the servers that are not configured: PostgreSQL and nats-server as child processes on free loopback ports,
 * with generated passwords. Every service gets a separate bus user, which may use only the subjects of its messages.
 */
export async function startInfrastructure(options: InfrastructureOptions): Promise<Infrastructure> {
  const { onProgress, onServerEvent } = options;
  const home = await openHome({ folder: options.homeFolder, onProgress });
  try {
    const rootSecret = options.rootSecret ?? (await openRootSecret(home));
    const [databaseUrl, busLogin] = await Promise.all([
      options.databaseUrl ?? startDatabase(home, onServerEvent),
      options.natsUrl === undefined
        ? startBus(home, rootSecret, onServerEvent)
        : givenBus(options.natsUrl, options.natsUser, options.natsPassword),
    ]);
    const databaseFolder = options.databaseUrl === undefined ? home.folders.servers : null;
    return { databaseUrl, databaseFolder, rootSecret, busLogin, stop: () => home.close() };
  } catch (error) {
    await home.close();
    throw error;
  }
}

/** The root secret is stored with the data it protects: a copy of the folder keeps its keys. */
function openRootSecret(home: TouchstoneHome): Promise<string> {
  return openSecret(path.join(home.folders.home, "secrets", "root"));
}

async function startDatabase(
  home: TouchstoneHome,
  onServerEvent: InfrastructureOptions["onServerEvent"],
): Promise<string> {
  const postgres = await startPostgres({ home, onEvent: (event) => onServerEvent("PostgreSQL", event) });
  return postgres.url;
}

async function startBus(
  home: TouchstoneHome,
  rootSecret: string,
  onServerEvent: InfrastructureOptions["onServerEvent"],
): Promise<Infrastructure["busLogin"]> {
  const passwordOf = (service: ServiceName): string => deriveKey(rootSecret, `bus:${service}`).toString("base64url");
  const userOf = (service: ServiceName): NatsUser => ({
    user: service,
    password: passwordOf(service),
    ...natsPermissions(service),
  });
  const [first, ...others] = serviceNames;
  const nats = await startNats({
    home,
    users: [userOf(first), ...others.map(userOf)],
    onEvent: (event) => onServerEvent("nats-server", event),
  });
  return (service) => ({ url: nats.url, user: service, password: passwordOf(service) });
}

function givenBus(url: string, user: string | undefined, password: string | undefined): Infrastructure["busLogin"] {
  const login: BusLogin = { url, ...(user !== undefined && { user }), ...(password !== undefined && { password }) };
  return () => login;
}
