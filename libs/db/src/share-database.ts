import {
  AppError,
  createFairLine,
  createFairShare,
  createTenants,
  type FairShare,
  type ShareUnit,
  type Tenant,
  type Tenants,
} from "@touchstone/service-kit";
import type { Database } from "./database.ts";

export interface SharedDatabase {
  database: Database;
  /** By `<name>_reads` and `<name>_writes`. */
  shares: Readonly<Record<string, FairShare>>;
  /** Receives the organizations of the projects. */
  tenants: Tenants;
}

export interface ShareDatabaseOptions {
  /** The name of its shares in metrics. */
  name: string;
  /** Concurrent reads of one project; all projects together may have half as many again. */
  readsMax: number;
  /** The same for transactions. */
  writesMax: number;
  tenants?: Tenants;
  waitMs?: number;
}

const turnTimeoutMs = 5_000;
/** Of one project. */
const waitersMax = 1_000;

/**
 * Shares the connections of a pool among tenants. Slow reads of one project leave connections to the others, and reads
 * leave some to transactions: the pool needs more connections than either may use. Work waits in the order of
 * `FairLine`, for five seconds, and then fails as `service_unavailable`. Work for no project or for several is never
 * delayed.
 */
export function shareDatabase(database: Database, options: ShareDatabaseOptions): SharedDatabase {
  const { name, readsMax, writesMax, tenants = createTenants(), waitMs = turnTimeoutMs } = options;
  const shares = {
    [`${name}_reads`]: createFairShare({ total: Math.ceil(readsMax * 1.5) }),
    [`${name}_writes`]: createFairShare({ total: Math.ceil(writesMax * 1.5) }),
  };
  const [reads, writes] = Object.values(shares).map((share) => createGate(share, waitMs)) as [Gate, Gate];

  function enter<Result>(gate: Gate, projectIds: readonly string[], work: () => Promise<Result>): Promise<Result> {
    const [projectId, ...others] = projectIds;
    return projectId === undefined || others.length > 0 ? work() : gate.run(tenants.tenantOf(projectId), work);
  }

  return {
    shares,
    tenants,
    database: {
      ...database,
      scoped: (projectIds, work) => enter(writes, projectIds, () => database.scoped(projectIds, work)),
      readScoped: ((projectIds: readonly string[], statements: never) =>
        enter(reads, projectIds, () => database.readScoped(projectIds, statements))) as Database["readScoped"],
    },
  };
}

interface Gate {
  /** Runs work when it is its tenant's turn. */
  run<Result>(tenant: Tenant, work: () => Promise<Result>): Promise<Result>;
}

interface Waiter {
  tenant: Tenant;
  enter(): void;
}

function createGate(share: FairShare, waitMs: number): Gate {
  const line = createFairLine<Waiter>(share);

  function refuse(obstacle: ShareUnit): AppError {
    share.counts[`refused_${obstacle}`] += 1;
    const whose = obstacle === "total" ? "" : ` of this ${obstacle}`;
    return new AppError("service_unavailable", `All database connections${whose} are in use; retry.`);
  }

  function callNext(): void {
    if (line.size() === 0) return;
    line.serve((waiter) => {
      const obstacle = share.obstacleTo(waiter.tenant, 1);
      if (obstacle === null) waiter.enter();
      return obstacle;
    });
  }

  function wait(tenant: Tenant): Promise<void> {
    if (line.sizeOf(tenant) >= waitersMax) throw refuse("project");
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        line.remove(waiter);
        reject(refuse(share.obstacleTo(tenant, 1) ?? "total"));
      }, waitMs);
      const waiter: Waiter = {
        tenant,
        enter() {
          clearTimeout(timer);
          share.hold(tenant, 1);
          resolve();
        },
      };
      line.add(waiter);
      callNext();
    });
  }

  return {
    async run(tenant, work) {
      if (line.size() === 0 && share.obstacleTo(tenant, 1) === null) share.hold(tenant, 1);
      else await wait(tenant);
      try {
        return await work();
      } finally {
        share.hold(tenant, -1);
        callNext();
      }
    },
  };
}
