import { type FairShare, organizationKey, type ShareUnit, type Tenant } from "./fair-share.ts";

/**
 * A queue for a {@link FairShare}. The organization that holds least is next; among equals the one that was served
 * longest ago. Within it the same holds for a project, and of its requests the oldest. A thousand requests of one
 * project delay another project's request by one.
 */
export interface FairLine<Waiter extends { tenant: Tenant }> {
  size(): number;
  /** How many requests of one project wait. */
  sizeOf(tenant: Tenant): number;
  add(waiter: Waiter): void;
  /** Removes a request that no longer waits. */
  remove(waiter: Waiter): void;
  /** The next request of each organization, the first to be served first. */
  heads(): Waiter[];
  /** Removes and returns the next request, if any; its tenant moves to the end. */
  takeNext(): Waiter | undefined;
  /**
   * Serves every request that can be served. `admit` returns the reason why a request is not admitted, or null if it
   * was. A tenant whose own share is used up is skipped. When the total is used up all wait, so that a large request is
   * not overtaken indefinitely.
   */
  serve(admit: (waiter: Waiter) => ShareUnit | null): void;
}

/** Requests by project; the project that was served last is last. */
type Projects<Waiter> = Map<string, Set<Waiter>>;

/** Without a share the tenants take turns. */
export function createFairLine<Waiter extends { tenant: Tenant }>(
  share: Pick<FairShare, "heldBy"> = { heldBy: () => ({ project: 0, organization: 0 }) },
): FairLine<Waiter> {
  const organizations = new Map<string, Projects<Waiter>>();
  let size = 0;
  const heldBy = ({ tenant }: Waiter) => share.heldBy(tenant);

  function headOf(projects: Projects<Waiter>): Waiter {
    return [...projects.values()]
      .map(oldestOf)
      .reduce((best, one) => (heldBy(one).project < heldBy(best).project ? one : best));
  }

  function heads(): Waiter[] {
    return [...organizations.values()]
      .map(headOf)
      .sort((one, other) => heldBy(one).organization - heldBy(other).organization);
  }

  function remove(waiter: Waiter, wasServed: boolean): void {
    const { projectId } = waiter.tenant;
    const key = organizationKey(waiter.tenant);
    const projects = organizations.get(key);
    const waiters = projects?.get(projectId);
    if (projects === undefined || !waiters?.delete(waiter)) return;
    size -= 1;
    if (wasServed || waiters.size === 0) projects.delete(projectId);
    if (waiters.size > 0) projects.set(projectId, waiters);
    if (wasServed || projects.size === 0) organizations.delete(key);
    if (projects.size > 0) organizations.set(key, projects);
  }

  return {
    size: () => size,
    sizeOf: (tenant) => organizations.get(organizationKey(tenant))?.get(tenant.projectId)?.size ?? 0,
    add(waiter) {
      const key = organizationKey(waiter.tenant);
      const projects: Projects<Waiter> = organizations.get(key) ?? new Map();
      const waiters = projects.get(waiter.tenant.projectId) ?? new Set();
      organizations.set(key, projects.set(waiter.tenant.projectId, waiters.add(waiter)));
      size += 1;
    },
    remove: (waiter) => remove(waiter, false),
    heads,
    takeNext() {
      const [next] = heads();
      if (next !== undefined) remove(next, true);
      return next;
    },
    serve(admit) {
      for (let next: Waiter | null = null; ; ) {
        next = null;
        for (const head of heads()) {
          const obstacle = admit(head);
          if (obstacle === null) next = head;
          if (obstacle === null || obstacle === "total") break;
        }
        if (next === null) return;
        remove(next, true);
      }
    },
  };
}

function oldestOf<Waiter>(waiters: Set<Waiter>): Waiter {
  for (const waiter of waiters) return waiter;
  throw new Error("no request of the project waits");
}
