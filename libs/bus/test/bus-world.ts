import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { type ServiceName, serviceNames } from "@touchstone/contracts";
import { startTestNats, type TestNats, type TestNatsOptions } from "@touchstone/testkit";
import { vi } from "vitest";
import { type Bus, type BusOptions, connectBus, natsPermissions } from "../src/index.ts";
import { worldMessages } from "./test-messages.ts";

export interface LogLine {
  level: "info" | "warn" | "error";
  text: string;
  fields: Record<string, unknown>;
}

/** A nats-server on which every service has a user with the permissions of the contracts above. */
export interface BusWorld {
  nats: TestNats;
  logs: LogLine[];
  /** How a service connects. */
  login(service: ServiceName): { url: string; user: string; password: string };
  /** A connected bus. It is drained with the world. */
  open(service: ServiceName, options?: Partial<BusOptions>): Promise<Bus>;
  /** A bus, whether NATS is available or not. */
  openUnconnected(service: ServiceName, options?: Partial<BusOptions>): Bus;
  /** A bare client with a service's credentials, or as an administrator with all permissions. */
  bareClient(who: ServiceName | "admin"): Promise<NatsConnection>;
  /** Runs `bus-process.ts` with a service's credentials. It is killed with the world. */
  spawnProcess(role: "answer" | "ask" | "consume", service: ServiceName): Promise<BusProcess>;
  close(): Promise<void>;
}

export interface BusProcess {
  child: ChildProcess;
  /** The lines it wrote so far. */
  lines: string[];
}

export async function startBusWorld(
  options: Pick<TestNatsOptions, "storeDir" | "storeMaxBytes"> = {},
): Promise<BusWorld> {
  const users = serviceNames.map((service) => ({
    user: service,
    password: `${service}-password`,
    ...natsPermissions(service, worldMessages),
  }));
  const admin = { user: "admin", password: "admin-password", publish: [">"], subscribe: [">"] };
  const nats = await startTestNats({ ...options, users: [...users, admin] });
  const logs: LogLine[] = [];
  const closers: (() => Promise<unknown>)[] = [];
  const log = (level: LogLine["level"]) => (fields: unknown, text?: string) =>
    void logs.push({ level, fields: fields as LogLine["fields"], text: text ?? "" });
  const logger = { info: log("info"), warn: log("warn"), error: log("error") } as BusOptions["logger"];
  const login = (who: string) => ({ url: nats.url, user: who, password: `${who}-password` });

  const world: BusWorld = {
    nats,
    logs,
    login,
    openUnconnected(service, busOptions) {
      const bus = connectBus({ ...login(service), service, logger, ...busOptions });
      closers.push(() => bus.drain());
      return bus;
    },
    async open(service, busOptions) {
      const bus = world.openUnconnected(service, busOptions);
      await untilConnected(bus);
      return bus;
    },
    async bareClient(who) {
      const { user, password } = login(who);
      const inboxPrefix = `_INBOX.${who}`;
      const client = await connect({ servers: nats.url, user, pass: password, inboxPrefix, reconnect: false });
      closers.push(() => client.close());
      return client;
    },
    async spawnProcess(role, service) {
      const file = path.join(import.meta.dirname, "bus-process.ts");
      const { url, user, password } = login(service);
      const child = spawn(process.execPath, [file, role, url, user, password], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      closers.push(async () => child.kill("SIGKILL"));
      const lines: string[] = [];
      createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
      await vi.waitFor(() => requireLine(lines, "ready"));
      return { child, lines };
    },
    async close() {
      await Promise.all(closers.map((close) => close()));
      await nats.stop();
    },
  };
  return world;
}

export async function untilConnected(bus: Bus): Promise<void> {
  await vi.waitUntil(() => bus.status() === "connected");
}

/** The first line that begins with `start`; throws while there is none. */
export function requireLine(lines: readonly string[], start: string): string {
  const line = lines.find((text) => text.startsWith(start));
  if (line === undefined) throw new Error(`no line "${start}" among ${JSON.stringify(lines)}`);
  return line;
}

/** Waits until `check` no longer throws. */
export async function eventually<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  return await vi.waitFor(check);
}

/** The error a promise rejects with; null if it does not. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => null,
    (error: unknown) => error,
  );
}
