import type { LookupAddress } from "node:dns";
import { isIPv6, type LookupFunction } from "node:net";
import { addressRefused, isReachable, type OutboundReach } from "./outbound-url.ts";
import type { ResolveHost } from "./resolve-host.ts";

/** More addresses than any legitimate name has; each might be tried in turn. */
const addressesMax = 32;

/**
 * The look-up of a socket: resolves once, checks every address of the answer, and passes those addresses to the
 * connection. So the check and the connection cannot get different answers (DNS rebinding). One forbidden address
 * refuses the name: a legitimate name does not lead both inside and outside.
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
