import { Resolver } from "node:dns";
import { lookup } from "node:dns/promises";
import type { OutboundReach } from "./outbound-url.ts";

/** The IP addresses of a host name; empty, or a rejection, when it has none. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

const queryTimeoutMs = 2_000;
const queryTries = 2;

/** The way names are resolved for callers of a reach. */
export function resolveHostFor({ allowsPrivateHosts }: OutboundReach): ResolveHost {
  return allowsPrivateHosts ? lookUpLikeTheSystem : queryNameServers;
}

/** With `/etc/hosts` and search domains, for names in an operator's own network. */
async function lookUpLikeTheSystem(hostname: string): Promise<readonly string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

/**
 * By DNS alone, for names that users chose: no local names, no search domains, and outside the few threads that the
 * process shares with its files, which a user's slow name server could block.
 */
async function queryNameServers(hostname: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: queryTimeoutMs, tries: queryTries });
  const ask = (method: "resolve4" | "resolve6") =>
    new Promise<readonly string[]>((resolve) => {
      resolver[method](hostname, (error, addresses) => resolve(error ? [] : addresses));
    });
  return (await Promise.all([ask("resolve4"), ask("resolve6")])).flat();
}
