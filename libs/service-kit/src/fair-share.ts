/** The owner of a share. A caller without a project is identified by something else, such as its address. */
export interface Tenant {
  projectId: string;
  /** Null where there are no organizations: then the project is a tenant alone. */
  organizationId: string | null;
}

/** The exhausted resource of a refused request. */
export type ShareUnit = "project" | "organization" | "total";

export interface FairShareOptions {
  /** The total of all tenants. */
  total: number;
  /** The fraction of the total that a project may hold while it is alone. Default two thirds. */
  projectPart?: number;
  /** The same for an organization. More than for a project, so that its other projects get some. Default eight ninths. */
  organizationPart?: number;
  /** The most a project may ever hold. Default: no such limit. */
  projectMax?: number;
}

/**
 * Shares a limited resource (streams, bytes, connections) among tenants, so that none can shut out the others.
 *
 * A tenant that holds something may take more if it then holds at most a multiple of what is left: twice for a project, eight
 * times for an organization. A lone tenant gets most of the total, more tenants get less each, and some always stays free for the
 * next one: a tenant that holds nothing is admitted if its request fits. (Network switches share their buffers like this:
 * Choudhury and Hahne, "Dynamic queue length thresholds", 1998.) Many tenants that keep what they hold can still use up the total
 * together. Then the caller takes some back from the tenant that holds most ({@link FairShare.toMakeRoom}), or lets requests wait
 * their turn (`FairLine`).
 */
export interface FairShare {
  readonly total: number;
  /** The reason why a tenant may not take this much more; null if it may. */
  obstacleTo(tenant: Tenant, amount: number): ShareUnit | null;
  /** Takes this much without a check; a negative amount is released. */
  hold(tenant: Tenant, amount: number): void;
  held(): number;
  heldBy(tenant: Tenant): { project: number; organization: number };
  /** The amount of the organization that holds most. */
  largest(): number;
  /**
   * Which holds to end so that a tenant can get `amount`. They belong to tenants that hold more than it would then: those with
   * the most first, and for each the oldest (`holds` is in order of age). Null if there are too few.
   */
  toMakeRoom<Hold extends { tenant: Tenant; amount: number }>(
    tenant: Tenant,
    amount: number,
    holds: Iterable<Hold>,
  ): Hold[] | null;
  /** For metrics: refusals and revocations, counted by the caller. */
  readonly counts: Record<`refused_${ShareUnit}` | "taken_back", number>;
}

export function createFairShare(options: FairShareOptions): FairShare {
  const { total, projectPart = 2 / 3, organizationPart = 8 / 9, projectMax = Number.POSITIVE_INFINITY } = options;
  const projectMultiple = projectPart / (1 - projectPart);
  const organizationMultiple = organizationPart / (1 - organizationPart);
  // Tenants that hold nothing have no entry.
  const projects = new Map<string, number>();
  const organizations = new Map<string, number>();
  let held = 0;

  const ofProject = (tenant: Tenant): number => projects.get(tenant.projectId) ?? 0;
  const ofOrganization = (tenant: Tenant): number => organizations.get(organizationKey(tenant)) ?? 0;

  /** Whether an organization, or within one a project, holds more than another tenant would with this much more. */
  function isRicher(one: Tenant, other: Tenant, amount: number): boolean {
    if (organizationKey(one) === organizationKey(other)) return ofProject(one) > ofProject(other) + amount;
    return ofOrganization(one) > ofOrganization(other) + amount;
  }

  function compareRichestFirst(one: Tenant, other: Tenant): number {
    const keys = [organizationKey(one), organizationKey(other)] as const;
    if (keys[0] === keys[1]) return ofProject(other) - ofProject(one);
    return ofOrganization(other) - ofOrganization(one) || (keys[0] < keys[1] ? -1 : 1);
  }

  return {
    total,
    counts: { refused_project: 0, refused_organization: 0, refused_total: 0, taken_back: 0 },
    obstacleTo(tenant, amount) {
      const project = ofProject(tenant);
      const left = total - held - amount;
      if (project + amount > projectMax) return "project";
      if (left < 0) return "total";
      if (project > 0 && exceeds(project + amount, projectMultiple * left)) return "project";
      const organization = ofOrganization(tenant);
      if (organization > 0 && exceeds(organization + amount, organizationMultiple * left)) return "organization";
      return null;
    },
    hold(tenant, amount) {
      held += amount;
      add(projects, tenant.projectId, amount);
      add(organizations, organizationKey(tenant), amount);
    },
    held: () => held,
    heldBy: (tenant) => ({ project: ofProject(tenant), organization: ofOrganization(tenant) }),
    largest: () => Math.max(0, ...organizations.values()),
    toMakeRoom(tenant, amount, holds) {
      const richer = [...holds].filter((hold) => isRicher(hold.tenant, tenant, amount));
      richer.sort((one, other) => compareRichestFirst(one.tenant, other.tenant));
      const chosen: typeof richer = [];
      // A tenant whose own share is used up replaces its own holds, one for one.
      const lacking = held + amount > total ? held + amount - total : amount;
      for (let freed = 0; freed < lacking; freed += chosen.at(-1)?.amount ?? 0) {
        const next = richer[chosen.length];
        if (next === undefined) return null;
        chosen.push(next);
      }
      return chosen;
    },
  };
}

function add(held: Map<string, number>, key: string, amount: number): void {
  const sum = (held.get(key) ?? 0) + amount;
  if (sum > 0) held.set(key, sum);
  else held.delete(key);
}

/** Ids of projects and organizations are unique, so both may be keys of one map. */
export function organizationKey({ organizationId, projectId }: Tenant): string {
  return organizationId ?? projectId;
}

/** With a tolerance for fractions: 8 of 12 is two thirds. */
function exceeds(amount: number, bound: number): boolean {
  return amount > bound * (1 + 1e-9);
}
