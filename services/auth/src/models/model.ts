import type { PriceChange } from "@touchstone/contracts";

/** What an owner changed in the built-in catalogue: a price, and of a custom model where and with which key it is asked. */
export interface ModelChange extends PriceChange {
  /** An OpenAI-compatible endpoint, of custom models only. */
  baseUrl: string | null;
  apiKey: string | null;
}

/** Whose catalogue: an organization's, or a project's that is in none. */
export interface ModelOwner {
  organizationId: string | null;
  projectId: string;
}

export const ownerIdOf = ({ organizationId, projectId }: ModelOwner): string => organizationId ?? projectId;

/** The part that others may know. */
export function priceOf({ baseUrl: _url, apiKey: _key, ...price }: ModelChange): PriceChange {
  return price;
}

const shown = ["provider", "label", "input", "output", "cacheRead", "cacheWrite"] as const;

/**
 * What the log says of a model that was added (`before` null) or changed: the members that are not what they were. Of its
 * endpoint the host alone, since paths may hold credentials; of its key only whether there is a new one or none.
 */
export function describeModelChange(
  before: ModelChange | null,
  after: ModelChange,
): Record<string, string | number | null> {
  const details: Record<string, string | number | null> = {};
  for (const member of shown) {
    if (before?.[member] !== after[member]) details[member] = after[member];
  }
  if ((before?.baseUrl ?? null) !== after.baseUrl) {
    details.endpoint = after.baseUrl === null ? null : new URL(after.baseUrl).host;
  }
  if ((before?.apiKey ?? null) !== after.apiKey) details.key = after.apiKey === null ? "removed" : "stored";
  return details;
}
