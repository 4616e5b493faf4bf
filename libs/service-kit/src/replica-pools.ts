import { Pool } from "undici";
import type { Replica, ReplicaSet } from "./replica-set.ts";

/** The connections to one replica. */
export interface ReplicaPools {
  replica: Replica;
  /** For short requests: keep-alive connections. */
  brief: Pool;
  /**
   * For streams, each on a separate connection: they must not occupy the others, and a body that can be read only once
   * must not meet a connection that is being closed.
   */
  lasting: Pool;
  /** The time until which other replicas are preferred, in the milliseconds of `performance.now()`. */
  restUntilMs: number;
}

export interface PoolDirectory {
  /** Of two replicas at random the one with fewer open requests; null when none is left outside `tried`. */
  choose(tried: ReadonlySet<ReplicaPools>): Promise<ReplicaPools | null>;
  /** The same after a failed attempt: when only avoided replicas are left, looks for newer ones first. */
  chooseAgain(tried: ReadonlySet<ReplicaPools>): Promise<ReplicaPools | null>;
  /** Prefers the others briefly, because the replica refused a connection or is starting. Then it is tried again. */
  rest(pools: ReplicaPools): void;
  /**
   * Prefers the others for the duration of a stop, also on a busy machine: a connection made as the port closes is
   * reset, and it is unknown then whether the request was read.
   */
  leave(pools: ReplicaPools): void;
  close(): Promise<void>;
}

const restMs = 1_000;
const leaveMs = 5_000;

/** Keeps connections to every current replica, and closes those of a replica that is gone. */
export function createPoolDirectory(replicas: ReplicaSet): PoolDirectory {
  const open = new Map<string, ReplicaPools>();
  let listed: readonly Replica[] = [];
  let current: readonly ReplicaPools[] = [];

  function follow(list: readonly Replica[]): readonly ReplicaPools[] {
    if (list === listed) return current;
    listed = list;
    current = list.map((replica) => {
      const pools = open.get(replica.origin) ?? openPools(replica);
      open.set(replica.origin, pools);
      return pools;
    });
    for (const [origin, pools] of open) {
      if (current.includes(pools)) continue;
      open.delete(origin);
      // Once its open requests have been answered.
      void Promise.all([pools.brief.close(), pools.lasting.close()]).catch(() => undefined);
    }
    return current;
  }

  async function choose(tried: ReadonlySet<ReplicaPools>, listing = replicas.list()): Promise<ReplicaPools | null> {
    const untried = follow(await listing).filter((pools) => !tried.has(pools));
    const nowMs = performance.now();
    const rested = untried.filter(({ restUntilMs }) => restUntilMs <= nowMs);
    if (rested.length > 0) return chooseOne(rested);
    // The one that was avoided longest is the likeliest to be back.
    return untried.reduce<ReplicaPools | null>(
      (best, pools) => (best === null || pools.restUntilMs < best.restUntilMs ? pools : best),
      null,
    );
  }

  return {
    choose,
    async chooseAgain(tried) {
      const chosen = await choose(tried);
      const isAvoided = chosen === null || chosen.restUntilMs > performance.now();
      return isAvoided ? choose(tried, replicas.renew()) : chosen;
    },
    rest(pools) {
      pools.restUntilMs = performance.now() + restMs;
    },
    leave(pools) {
      pools.restUntilMs = performance.now() + leaveMs;
    },
    async close() {
      const all = [...open.values()].flatMap(({ brief, lasting }) => [brief, lasting]);
      await Promise.all(all.map((pool) => pool.destroy()));
    },
  };
}

function openPools(replica: Replica): ReplicaPools {
  const isSecure = replica.origin.startsWith("https:");
  const shared = {
    connect: { timeout: 2_000, ...(isSecure && { servername: replica.hostname }) },
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  return {
    replica,
    brief: new Pool(replica.origin, { ...shared, connections: 256, pipelining: 1, keepAliveTimeout: 60_000 }),
    // Not `Connection: close`: a server that answers before it has read a large body would cut it off, answer and all.
    lasting: new Pool(replica.origin, {
      ...shared,
      connections: 1024,
      pipelining: 1,
      keepAliveTimeout: 1,
      keepAliveMaxTimeout: 1,
    }),
    restUntilMs: 0,
  };
}

/**
 * The power of two choices: nearly as even as comparing all of them, and requests do not all go to the one that looks
 * idle.
 */
function chooseOne(candidates: readonly ReplicaPools[]): ReplicaPools | null {
  const [only] = candidates;
  if (candidates.length <= 1) return only ?? null;
  const first = Math.floor(Math.random() * candidates.length);
  const second = (first + 1 + Math.floor(Math.random() * (candidates.length - 1))) % candidates.length;
  const [one, other] = [candidates[first] as ReplicaPools, candidates[second] as ReplicaPools];
  return loadOf(one) <= loadOf(other) ? one : other;
}

function loadOf({ brief, lasting }: ReplicaPools): number {
  return [brief.stats, lasting.stats].reduce(
    (sum, { running, pending, queued }) => sum + running + pending + queued,
    0,
  );
}
