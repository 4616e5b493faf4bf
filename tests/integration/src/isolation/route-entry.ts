import type { Tenant } from "./tenant.ts";

/** Ids by place: a path parameter, a query parameter, or a body member. */
export type Ids = Readonly<Record<string, string>>;

export interface EntryRequest {
  /** Path parameters that are not ids: a position in a list. */
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
}

/**
 * How the matrix calls one route, and the expected answers. A route that takes ids in several ways has several entries.
 */
export interface RouteEntry {
  /** Creates the objects of the ids, again for each request; for a GET once. Without it the route takes no id. */
  ids?(tenant: Tenant): Promise<Ids>;
  /** Fills in the rest; path parameters are taken from the ids by name. */
  /** `turn` counts the requests of the entry. */
  request?(ids: Ids, tenant: Tenant, turn: number): EntryRequest;
  /** The answer to one's own ids. */
  own: number;
  /** The answer to a foreign, missing or malformed id, where it is not 404; for each place, or for all. */
  refused?: number | Readonly<Record<string, number>>;
  /** The answer to a malformed id where it differs, by place. */
  malformed?: Readonly<Record<string, number>>;
  /**
   * Places that never leak another project, even without row-level security and scope, with the reason. All others must
   * then be seen to leak, or the matrix would prove nothing about them.
   */
  neverLeaks?: Readonly<Record<string, string>>;
  /** Places that may leak or not, depending on the order in which PostgreSQL finds rows, with the reason. */
  leaksByChance?: Readonly<Record<string, string>>;
  /** Places that take a position in time: a foreign one is as good as any, and only the tenant's own rows follow it. */
  isPosition?: readonly string[];
  /** The answer depends on earlier requests or on the time taken, so no two are equal. */
  hasCounts?: true;
  /** The key cannot be restored: each tenant uses the key of a project created for this request. */
  spendsKey?: true;
  /** The answer to the tenant's own ids shows texts of the project. */
  shows?: true;
}

/** By the route's id. */
export type RouteEntries = Readonly<Record<string, RouteEntry | readonly RouteEntry[]>>;
