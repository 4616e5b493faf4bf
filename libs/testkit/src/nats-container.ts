import { type NatsUser, renderNatsConfig } from "@touchstone/embedded-servers";
import { endsProcess } from "./ending-signals.ts";
import { findFreePort } from "./free-port.ts";
import type { TestNats } from "./test-nats.ts";

/**
 * Like `startTestNats`, from the official image. The port of the host is fixed, because a restart would change a mapped
 * one.
 */
export async function startNatsContainer({
  users = [],
  port: wantedPort,
  storeDir,
  storeMaxBytes,
}: {
  users?: readonly NatsUser[] | undefined;
  port?: number | undefined;
  storeDir?: string | undefined;
  storeMaxBytes?: number | undefined;
}): Promise<TestNats> {
  const { GenericContainer, getContainerRuntimeClient, Wait } = await import("testcontainers");
  const port = wantedPort ?? (await findFreePort());
  const config = renderNatsConfig({
    host: "0.0.0.0",
    port: 4222,
    serverName: "touchstone-test",
    storeFolder: "/store",
    users,
    isDurable: false,
    storeMaxBytes,
  });
  const description = new GenericContainer("nats:2.14")
    .withCommand(["-c", "/nats.conf"])
    .withCopyContentToContainer([{ content: config, target: "/nats.conf" }])
    .withExposedPorts({ container: 4222, host: port })
    .withWaitStrategy(Wait.forLogMessage("Server is ready"));
  if (storeDir !== undefined) description.withBindMounts([{ source: storeDir, target: "/store" }]);
  const started = await description.start();
  const container = (await getContainerRuntimeClient()).container.getById(started.getId());
  let pid = (await container.inspect()).State.Pid;
  return {
    url: `nats://${started.getHost()}:${port}`,
    port,
    get pid() {
      return pid;
    },
    async stop() {
      await started.stop();
    },
    async kill(signal) {
      await container.kill({ signal });
      if (endsProcess(signal)) await container.wait({ condition: "not-running" });
    },
    async restart() {
      await started.restart();
      pid = (await container.inspect()).State.Pid;
    },
  };
}
