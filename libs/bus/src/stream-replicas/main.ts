/**
 * `node libs/bus/src/stream-replicas/main.ts 3`, in the container of a service: gives the streams that exist 3 copies in
 * a NATS cluster, with the settings SERVICE_NATS_* of the user `operator`. See docs/operating/nats-cluster.md.
 */
import { ConfigError } from "@touchstone/service-kit";
import { readLogin } from "../connection.ts";
import { setStreamReplicas } from "./set-stream-replicas.ts";

const withinMs = 600_000;
const print = (line: string): boolean => process.stdout.write(`${line}\n`);

try {
  const [count, ...others] = process.argv.slice(2);
  if (count === undefined || !/^[135]$/.test(count) || others.length > 0) {
    throw new ConfigError(["The argument is the number of copies: 1, 3 or 5"]);
  }
  const login = readLogin(process.env);
  if (login === null) throw new ConfigError(["SERVICE_NATS_URL: it is required here"]);
  process.exitCode = (await setStreamReplicas(login, { replicas: Number(count), withinMs, print })) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = error instanceof ConfigError ? 2 : 1;
}
