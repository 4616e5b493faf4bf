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
  /** In the greeting of the server; tells it from another one on the same port. */
  serverName: string;
  storeFolder: string;
  /** Empty: anyone who reaches the port may do everything, for tests only. */
  users: readonly NatsUser[];
  /** Whether a message is on disk before it is acknowledged, and not only handed to the operating system. */
  isDurable: boolean;
  /**
   * What JetStream may promise to its streams, in bytes. Default 4 GiB. Left to itself the server promises three quarters of
   * what the disk has free at that moment, and one that starts on a disk nearly full refuses our streams for ever.
   */
  storeMaxBytes?: number | undefined;
}

/** What one message may hold at most: the largest judge request (architecture, The bus). */
const payloadMaxBytes = 8 * 1024 * 1024;

/**
 * The configuration of nats-server. It is written as JSON, which nats-server reads as its own syntax, so nothing in a
 * password or a subject needs an escape we could forget.
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

/** An empty `allow` list would mean everything to nats-server, so nothing is said as "deny all". */
function permission(subjects: readonly string[]): { allow: readonly string[] } | { deny: string[] } {
  return subjects.length === 0 ? { deny: [">"] } : { allow: subjects };
}
