/** A NATS user. Subjects may contain the wildcards `*` and `>`; an empty list allows nothing. */
export interface NatsUser {
  user: string;
  password: string;
  publish: readonly string[];
  subscribe: readonly string[];
  /** Whether it may answer requests, that is publish once to the reply subject of each message it receives. */
  allowResponses?: boolean;
}

/** A server's certificate, and the authorities that must have signed the certificates of those who connect to it. */
export interface NatsTls {
  /** Paths of PEM files. */
  certFile: string;
  keyFile: string;
  caFile: string;
}

/** The other servers of a cluster, and how this one meets them. */
export interface NatsCluster {
  name: string;
  /** Address for the other servers. */
  listen: string;
  /** The servers, `nats://user:password@host:port` with the credentials below; this one may be among them. */
  routes: readonly string[];
  user: string;
  password: string;
  tls?: NatsTls | undefined;
}

export interface NatsConfig {
  /** Address to listen on. Default: 127.0.0.1. */
  host?: string;
  port: number;
  /** Part of the server's greeting; distinguishes it from another one on the same port. */
  serverName: string;
  storeFolder: string;
  /** Empty: any client on the port may do everything, for tests only. */
  users: readonly NatsUser[];
  /** Whether a message is synced to disk before it is acknowledged, and not only handed to the operating system. */
  isDurable: boolean;
  /**
   * The storage limit of JetStream, in bytes. Default 4 GiB. By default the server would promise three quarters of the
   * disk's free space, and one that starts on a nearly full disk would refuse our streams permanently.
   */
  storeMaxBytes?: number | undefined;
  /** TLS for clients; they must show a certificate. */
  tls?: NatsTls | undefined;
  cluster?: NatsCluster | undefined;
}

/** The largest message: the largest judge request (architecture, The bus). */
const payloadMaxBytes = 8 * 1024 * 1024;

/**
 * The configuration of nats-server. It is written as JSON, which nats-server accepts as its own syntax, so passwords
 * and subjects need no escapes.
 */
export function renderNatsConfig({
  host = "127.0.0.1",
  port,
  serverName,
  storeFolder,
  users,
  isDurable,
  storeMaxBytes = 4 * 1024 ** 3,
  tls,
  cluster,
}: NatsConfig): string {
  const config = {
    listen: `${host}:${port}`,
    server_name: serverName,
    max_payload: payloadMaxBytes,
    // The default of 64 MiB would let one slow subscriber hold eight of the largest messages only.
    max_pending: 16 * payloadMaxBytes,
    jetstream: {
      store_dir: storeFolder,
      max_file_store: storeMaxBytes,
      ...(isDurable && { sync_interval: "always" }),
    },
    ...(tls && { tls: renderTls(tls) }),
    ...(cluster && {
      cluster: {
        name: cluster.name,
        listen: cluster.listen,
        routes: cluster.routes,
        authorization: { user: cluster.user, password: cluster.password },
        ...(cluster.tls && { tls: renderTls(cluster.tls) }),
      },
    }),
    ...(users.length > 0 && {
      authorization: {
        users: users.map(({ user, password, publish, subscribe, allowResponses }) => ({
          user,
          password,
          permissions: {
            publish: permission(publish),
            subscribe: permission(subscribe),
            ...(allowResponses === true && { allow_responses: true }),
          },
        })),
      },
    }),
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

/** A certificate is asked of clients and of the other servers alike. */
function renderTls({ certFile, keyFile, caFile }: NatsTls) {
  return { cert_file: certFile, key_file: keyFile, ca_file: caFile, verify: true };
}

/** nats-server reads an empty `allow` list as everything, so nothing is written as "deny all". */
function permission(subjects: readonly string[]): { allow: readonly string[] } | { deny: string[] } {
  return subjects.length === 0 ? { deny: [">"] } : { allow: subjects };
}
