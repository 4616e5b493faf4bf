import type { NatsTls, NatsUser } from "./nats-config.ts";
import { startThrowAwayNats, type ThrowAwayNats } from "./throw-away-nats.ts";

export interface ThrowAwayNatsCluster {
  /** The addresses of all servers, separated by commas. */
  url: string;
  servers: readonly ThrowAwayNats[];
  /** Stops the servers, frozen ones too. */
  stop(): Promise<void>;
}

/** Three nats-servers of one cluster, like {@link startThrowAwayNats}; `tls` is for clients and among the servers. */
export async function startThrowAwayNatsCluster({
  findPort,
  ...options
}: {
  /** Finds ports that no other program takes while a server is stopped. */
  findPort: () => Promise<number>;
  users?: readonly NatsUser[];
  isDurable?: boolean;
  tls?: NatsTls;
}): Promise<ThrowAwayNatsCluster> {
  const ports = await Promise.all([findPort(), findPort(), findPort()]);
  const [user, password] = ["route", "route-password"];
  const cluster = {
    ...{ name: "touchstone", user, password, tls: options.tls },
    routes: ports.map((port) => `nats://${user}:${password}@127.0.0.1:${port}`),
  };
  const starting = ports.map(async (port) =>
    startThrowAwayNats({
      ...options,
      port: await findPort(),
      cluster: { ...cluster, listen: `127.0.0.1:${port}` },
    }),
  );
  const started = await Promise.allSettled(starting);
  const servers = started.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  const stop = async (): Promise<void> => {
    for (const server of servers) server.signal("SIGCONT");
    await Promise.all(servers.map((server) => server.stop()));
  };
  if (servers.length < ports.length) {
    await stop();
    await Promise.all(starting);
  }
  return { url: servers.map(({ url }) => url).join(","), servers, stop };
}
