import { createServer } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { type ServiceProcess, startServiceProcess } from "./service-process.ts";
import { startTestGateway } from "./test-gateway.ts";

const processes: ServiceProcess[] = [];

afterEach(async () => {
  await Promise.all(processes.splice(0).map((gateway) => gateway.kill("SIGKILL")));
});

const settings = {
  PORT: "0",
  SERVICE_INTERNAL_SECRET: "a root secret of the installation, long enough",
  SERVICE_NATS_URL: "nats://127.0.0.1:1",
  SERVICE_AUTH_URL: "http://127.0.0.1:1",
  SERVICE_INGEST_URL: "http://127.0.0.1:1",
  SERVICE_EVAL_RUNS_URL: "http://127.0.0.1:1",
  SERVICE_MONITOR_URL: "http://127.0.0.1:1",
  SERVICE_DROPIN_URL: "http://127.0.0.1:1",
};

function start(overrides: Record<string, string> = {}): ServiceProcess {
  const gateway = startServiceProcess("gateway", { ...settings, ...overrides });
  processes.push(gateway);
  return gateway;
}

test("a gateway without any service runs, reports what is unavailable, and exits with 0 on request", async () => {
  const gateway = start();
  await vi.waitFor(() => expect(gateway.output()).toContain('"msg":"serving"'));
  const url = /"address":"(http[^"]+)"/.exec(gateway.output())?.[1];

  const health = await fetch(`${url}/health`);
  const live = await fetch(`${url}/health/live`);

  expect([health.status, live.status]).toEqual([503, 200]);
  expect(await gateway.kill("SIGTERM")).toBe(0);
});

test("a port in use is reported in one sentence, and the process exits with 2", async () => {
  const occupant = createServer();
  await new Promise<void>((resolve) => occupant.listen(0, "127.0.0.1", resolve));
  const address = occupant.address();
  const port = typeof address === "object" ? address?.port : 0;

  const gateway = start({ PORT: String(port), SERVICE_LOG_LEVEL: "error" });

  expect(await gateway.exited).toBe(2);
  expect(gateway.output()).toBe(`Port ${port} is already in use; set PORT to another one.\n`);
  occupant.close();
});

test("a gateway that listens beyond loopback does not start without the setting that the network is trusted", async () => {
  const gateway = start({ SERVICE_HOST: "0.0.0.0" });

  expect(await gateway.exited).toBe(2);
  expect(gateway.output()).toContain("SERVICE_HOST: without accounts, whoever reaches 0.0.0.0 gets the default");
});

test("a gateway in another process throws the same sentence for a port in use", async () => {
  const first = await startTestGateway();
  const port = new URL(first.url).port;

  await expect(startTestGateway({ settings: { PORT: port } })).rejects.toThrow(
    `Port ${port} is already in use; set PORT to another one.`,
  );
  await first.stop();
});
