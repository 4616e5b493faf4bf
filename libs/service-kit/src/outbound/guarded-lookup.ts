import type { LookupAddress } from "node:dns";
import { isIPv6, type LookupFunction } from "node:net";
import { addressRefused, isReachable, type OutboundReach } from "./outbound-url.ts";
import type { ResolveHost } from "./resolve-host.ts";

/** More addresses than any honest name has; each might be connected to in turn. */
const addressesMax = 32;

/**
 * The look-up of a socket: asks once, checks every address of the answer, and gives those very addresses to the
 * connection. So nobody can answer one thing to the check and another to the connection (DNS rebinding). One address that
 * may not be reached refuses the name: an honest name does not lead inside and outside.
 */
export function createGuardedLookup(resolveHost: ResolveHost, reach: OutboundReach): LookupFunction {
  return (hostname, options, callback) => {
    resolveHost(hostname).then(
      (addresses) => {
        const isGood = addresses.length > 0 && addresses.length <= addressesMax;
        if (!isGood || !addresses.every((address) => isReachable(address, reach)))
          return callback(addressRefused(), "");
        const found: LookupAddress[] = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
        const [first] = found as [LookupAddress];
        if (options.all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      () => callback(addressRefused(), ""),
    );
  };
}
