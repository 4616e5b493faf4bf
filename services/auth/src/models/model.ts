import type { PriceChange } from "@touchstone/contracts";

/** An owner's change of the built-in catalogue: a price and, for a custom model, its endpoint and key. */
export interface ModelChange extends PriceChange {
  /** An OpenAI-compatible endpoint, only for custom models. */
  baseUrl: string | null;
  apiKey: string | null;
}

/** The owner of a catalogue: an organization, or a project without one. */
export interface ModelOwner {
  organizationId: string | null;
  projectId: string;
}

export const ownerIdOf = ({ organizationId, projectId }: ModelOwner): string => organizationId ?? projectId;

/** The public part. */
export function priceOf({ baseUrl: _url, apiKey: _key, ...price }: ModelChange): PriceChange {
  return price;
}

const shown = ["provider", "label", "input", "output", "cacheRead", "cacheWrite"] as const;

/**
 * The log details of a model that was added (`before` null) or changed: the changed members. Of its endpoint only the
 * host, since paths may hold credentials; of its key only whether it was replaced or removed.
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
