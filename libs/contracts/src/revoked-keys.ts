/**
 * Answer header from auth to the gateway, on the answer to a request that revoked keys: the projects, and whether they
 * are being deleted. Never sent to clients. See {@link formatRevokedKeys}.
 *
 * The gateway acts on it before it forwards the answer, so that an old key never works after the client received the
 * answer.
 */
export const revokedKeysHeader = "x-internal-keys-revoked";

/** Projects whose keys were revoked by one request. */
export interface RevokedKeys {
  projectIds: readonly string[];
  /** The projects are being deleted: nothing more may be stored in them. */
  areDeleted: boolean;
  /** False: there are more projects than fit into the header. The events name the rest. */
  isComplete: boolean;
}

/** Node reads at most 16 KB of headers. */
const namedMax = 300;

export function formatRevokedKeys(projectIds: readonly string[], reason: "rotated" | "deleted"): string {
  const named = projectIds.slice(0, namedMax);
  return `${reason};${named.join(",")}${named.length < projectIds.length ? ",*" : ""}`;
}

/** Null for an invalid header. */
export function parseRevokedKeys(header: unknown): RevokedKeys | null {
  const match = typeof header === "string" ? /^(rotated|deleted);([0-9a-f,-]*?)(,\*)?$/.exec(header) : null;
  if (match === null) return null;
  return {
    projectIds: match[2] ? match[2].split(",") : [],
    areDeleted: match[1] === "deleted",
    isComplete: match[3] === undefined,
  };
}
