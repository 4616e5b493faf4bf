/**
 * Answer header from auth to the gateway, on the answer to a request that revoked keys: whose keys, and whether their
 * projects are being deleted. Never sent to clients. See {@link formatRevokedKeys}.
 *
 * The gateway acts on it before it passes the answer on, so that the client never sees an old key work after the answer.
 */
export const revokedKeysHeader = "x-internal-keys-revoked";

/** Projects whose keys were revoked by one request. */
export interface RevokedKeys {
  projectIds: readonly string[];
  /** The projects are being deleted: nothing more may be stored in them. */
  areDeleted: boolean;
  /** False: there are more projects than the header can name. The events name the rest. */
  isComplete: boolean;
}

/** Node reads at most 16 KB of headers. */
const namedMax = 300;

export function formatRevokedKeys(projectIds: readonly string[], reason: "rotated" | "deleted"): string {
  const named = projectIds.slice(0, namedMax);
  return `${reason};${named.join(",")}${named.length < projectIds.length ? ",*" : ""}`;
}

/** Null for what is not such a header. */
export function parseRevokedKeys(header: unknown): RevokedKeys | null {
  const match = typeof header === "string" ? /^(rotated|deleted);([0-9a-f,-]*?)(,\*)?$/.exec(header) : null;
  if (match === null) return null;
  return {
    projectIds: match[2] ? match[2].split(",") : [],
    areDeleted: match[1] === "deleted",
    isComplete: match[3] === undefined,
  };
}
