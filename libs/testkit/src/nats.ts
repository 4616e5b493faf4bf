import { type NatsTls, type NatsUser, startThrowAwayNats } from "@touchstone/embedded-servers";
import { inject } from "vitest";
import { endsProcess } from "./ending-signals.ts";
import { findFreePort } from "./free-port.ts";
import { startNatsContainer } from "./nats-container.ts";
import type { TestNats } from "./test-nats.ts";

export interface TestNatsOptions {
  /** The users that may connect, and their permissions. Without users everyone may do everything. */
  users?: readonly NatsUser[];
  /** Default: a free one. */
  port?: number;
  /** The folder of JetStream's files. Default: a temporary folder that is deleted with the server. */
  storeDir?: string;
  /** The storage limit of JetStream. Default 4 GiB. */
  storeMaxBytes?: number;
  /** TLS for clients. A container cannot read these files, so the server is always a process then. */
  tls?: NatsTls;
}

/** A separate nats-server with JetStream for a test file, with messages up to 8 MB. Stop it in `afterAll`. */
export async function startTestNats(options: TestNatsOptions = {}): Promise<TestNats> {
  if (inject("usesContainers") && options.tls === undefined) return startNatsContainer(options);
  const { storeDir, port = await findFreePort(), ...others } = options;
  const server = await startThrowAwayNats({ ...others, port, storeFolder: storeDir });
  return {
    url: server.url,
    port: server.port,
    get pid() {
      return server.pid;
    },
    stop: server.stop,
    restart: server.restart,
    async kill(signal) {
      server.signal(signal);
      if (endsProcess(signal)) await server.exited;
    },
  };
}
