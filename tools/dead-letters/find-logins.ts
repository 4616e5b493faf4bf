import { readFile } from "node:fs/promises";
import path from "node:path";
import { type BusLogin, readLogin, servicesOfUser } from "@touchstone/bus";
import { serviceNames } from "@touchstone/contracts";
import { defaultHome } from "@touchstone/embedded-servers";

/** NATS could not be found; the message explains what to do. */
export class NoBusError extends Error {
  override readonly name = "NoBusError";
}

/** The part of the built-in nats-server's configuration with its address (libs/embedded-servers). */
interface ServerConfig {
  listen: string;
  authorization: { users: { user: string; password: string }[] };
}

/**
 * The connection to the bus: SERVICE_NATS_URL with its user; else the built-in server of the standalone in
 * SERVICE_HOME, as each of its services.
 */
export async function findLogins(environment: Readonly<Record<string, string | undefined>>): Promise<BusLogin[]> {
  const login = readLogin(environment);
  if (login !== null) return servicesOfUser(login.user).map((service) => ({ ...login, service }));

  const home = path.resolve(environment.INIT_CWD ?? ".", environment.SERVICE_HOME || defaultHome());
  const { listen, authorization } = await readConfig(home);
  return serviceNames.flatMap((service) =>
    authorization.users
      .filter((each) => each.user === service)
      .map((each) => ({ service, url: `nats://${listen}`, user: each.user, password: each.password })),
  );
}

/** Servers whose account cannot enter the home are behind the link `servers` in it. */
async function readConfig(home: string): Promise<ServerConfig> {
  for (const folder of [path.join(home, "servers"), home]) {
    const text = await readFile(path.join(folder, "nats.conf"), "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
      throw new NoBusError(`The configuration of NATS in ${folder} cannot be read (${error.code}); be its owner.`);
    });
    if (text !== null) return JSON.parse(text) as ServerConfig;
  }
  throw new NoBusError(
    `There is no NATS in ${home}. Start Touchstone, set SERVICE_HOME to its folder, or SERVICE_NATS_URL to a NATS of yours.`,
  );
}
