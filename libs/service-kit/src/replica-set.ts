import { lookup as lookUpName } from "node:dns/promises";
import { isIP } from "node:net";

/** The address of one replica of a service. */
export interface Replica {
  /** `http://10.0.0.3:4700`; no two replicas have the same. */
  origin: string;
  /** Host and port as they were configured, for the `Host` header; the name alone, for TLS. */
  host: string;
  hostname: string;
}

/** Answers every address of a host name. */
export type LookUp = (hostname: string) => Promise<readonly { address: string }[]>;

export interface ReplicaSet {
  /** The current replicas; none when no name could be resolved so far. Waits for a name server only then. */
  list(): Promise<readonly Replica[]>;
  /** Like `list`, once every name has been resolved again. Calls at the same time share one resolution. */
  renew(): Promise<readonly Replica[]>;
}

/** The maximum age of a resolved name. */
const nameMaxAgeMs = 2_000;

const lookUpAll: LookUp = (hostname) => lookUpName(hostname, { all: true });

/**
 * Finds the replicas of a service behind a list of addresses. An IP address is one replica; a host name has one for
 * each of its addresses, resolved again every 2 s while there are calls. A name that cannot be resolved keeps its last
 * addresses: an unavailable name server must not stop a working system.
 */
export function createReplicaSet(addresses: readonly string[], lookUp: LookUp = lookUpAll): ReplicaSet {
  const listings = addresses.map((address) => createListing(new URL(address), lookUp));
  const merge = async (lists: readonly Promise<readonly Replica[]>[]): Promise<readonly Replica[]> => {
    const found = await Promise.all(lists);
    const [only] = found;
    if (found.length === 1 && only !== undefined) return only;
    return [...new Map(found.flat().map((replica) => [replica.origin, replica])).values()];
  };
  return {
    list: () => merge(listings.map((listing) => listing.list())),
    renew: () => merge(listings.map((listing) => listing.renew())),
  };
}

/** Lists what is behind one address. */
function createListing(url: URL, lookUp: LookUp): ReplicaSet {
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const replicaAt = (address: string): Replica => {
    const host = address.includes(":") ? `[${address}]` : address;
    return { origin: `${url.protocol}//${host}:${port}`, host: url.host, hostname };
  };
  if (isIP(hostname) !== 0) {
    const fixed = [replicaAt(hostname)];
    const list = async () => fixed;
    return { list, renew: list };
  }

  let known: readonly Replica[] = [];
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | null = null;

  async function ask(): Promise<void> {
    const found = await lookUp(hostname).catch(() => []);
    if (found.length > 0) known = found.map(({ address }) => replicaAt(address));
    asking = null;
  }

  function begin(): Promise<void> {
    if (asking === null) {
      askedAtMs = performance.now();
      asking = ask();
    }
    return asking;
  }

  return {
    async list() {
      // Elapsed time, not the time of day: a clock jump must not stop the resolving.
      if (known.length === 0) await begin();
      else if (performance.now() - askedAtMs >= nameMaxAgeMs) void begin();
      return known;
    },
    async renew() {
      await begin();
      return known;
    },
  };
}
