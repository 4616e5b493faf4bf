import { connect } from "node:net";
import { explainNatsFailure } from "./explain-nats-failure.ts";
import type { ServerAccount } from "./server-account.ts";
import { type LaunchControl, launchServer, type ServerProcess, stopServer } from "./server-process.ts";

/** Starts nats-server with a configuration file that contains the same port. Resolves when it accepts connections. */
export async function launchNats({
  executable,
  configFile,
  serverName,
  account,
  port,
  logFile,
  onSpawn,
  abort,
}: LaunchControl & {
  executable: string;
  configFile: string;
  /** As in the configuration file. */
  serverName: string;
  account: ServerAccount | null;
  port: number;
  logFile: string;
}): Promise<ServerProcess> {
  return launchServer({
    executable,
    arguments: ["-c", configFile],
    account,
    logFile,
    isReady: () => greets(port, serverName),
    // Loading a large JetStream store takes a while; without one it is ready in 20 ms.
    readyTimeoutMs: 60_000,
    explain: (output, exit) => explainNatsFailure(output, exit, { port }),
    onSpawn,
    abort,
  });
}

export async function stopNats(server: ServerProcess): Promise<void> {
  await stopServer(server, [{ signal: "SIGTERM", waitMs: 10_000 }]);
}

/**
 * nats-server opens its port last, when JetStream is up, and greets every connection with a line of JSON. The name in
 * it distinguishes our server from one that already had the port.
 */
function greets(port: number, serverName: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, timeout: 1_000 });
    const finish = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("data", (chunk) =>
      finish(chunk.toString("utf8").includes(`"server_name":${JSON.stringify(serverName)}`)),
    );
    for (const event of ["error", "timeout", "close"]) socket.once(event, () => finish(false));
  });
}
