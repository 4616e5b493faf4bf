/** A NATS user. Subjects may contain the wildcards `*` and `>`; an empty list allows nothing. */
export interface NatsUser {
  user: string;
  password: string;
  publish: readonly string[];
  subscribe: readonly string[];
  /** Whether it may answer requests, that is publish once to the reply subject of each message it receives. */
  allowResponses?: boolean;
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

/** nats-server reads an empty `allow` list as everything, so nothing is written as "deny all". */
function permission(subjects: readonly string[]): { allow: readonly string[] } | { deny: string[] } {
  return subjects.length === 0 ? { deny: [">"] } : { allow: subjects };
}
