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
