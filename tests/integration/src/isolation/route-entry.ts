import type { Tenant } from "./tenant.ts";

/** Ids by the name of their place: a parameter of the path, of the query, or a member of the body. */
export type Ids = Readonly<Record<string, string>>;

export interface EntryRequest {
  /** Parameters of the path that are no ids: a place in a list. */
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
}

/** How the matrix asks one route, and what each answer must be. A route that takes ids in several ways has several. */
export interface RouteEntry {
  /** Makes what the ids name, anew each time the matrix is asked; for a GET once. Without it the route takes no id. */
  ids?(tenant: Tenant): Promise<Ids>;
  /** Fills in the rest; parameters of the path are taken from the ids by their names. */
  /** `turn` counts the requests of the entry. */
  request?(ids: Ids, tenant: Tenant, turn: number): EntryRequest;
  /** The answer to one's own ids. */
  own: number;
  /** The answer to an id that is another's, missing or malformed, where it is not 404; of each place, or of all. */
  refused?: number | Readonly<Record<string, number>>;
  /** What is answered to a malformed id where it is not the same, by its place. */
  malformed?: Readonly<Record<string, number>>;
  /**
   * Without row-level security and without scope, these places still tell nothing of another project; why. The others
   * must be seen to leak then, or the matrix would prove nothing about them.
   */
  neverLeaks?: Readonly<Record<string, string>>;
  /** Places that then leak or not, by the order in which PostgreSQL happens to find rows; why. */
  leaksByChance?: Readonly<Record<string, string>>;
  /** Places that take a position in time: a foreign one is as good as any, and what comes after it is one's own. */
  isPosition?: readonly string[];
  /** An answer tells how much was sent before it or how long it took, so that no two are alike. */
  hasCounts?: true;
  /** The key is not to be had again: each tenant asks with one of a project made for it. */
  spendsKey?: true;
  /** The answer to one's own ids shows texts of the project. */
  shows?: true;
}

/** By the route's id. */
export type RouteEntries = Readonly<Record<string, RouteEntry | readonly RouteEntry[]>>;
