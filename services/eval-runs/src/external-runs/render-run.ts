import { memberText } from "@touchstone/service-kit";
import type { StoredItem } from "./named-run-store.ts";
import type { ListedRun } from "./run-lists.ts";

/** An item as dropin reads it. */
export function renderItem({ spanId: _, ...item }: StoredItem, runName: string): string {
  return JSON.stringify({ ...item, runName });
}

/** A run as dropin reads it; its metadata are inserted as they were sent. */
export function renderNamedRun({ subject, ...run }: ListedRun): string {
  const description = memberText(subject, "description") ?? "null";
  const metadata = memberText(subject, "metadata") ?? "null";
  return `${JSON.stringify(run).slice(0, -1)},"description":${description},"metadata":${metadata}}`;
}
