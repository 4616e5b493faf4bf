/** What 48 bits hold. */
const idTimeMaxMs = 2 ** 48 - 1;

/** Below every id whose time is `sinceMs` or later, and above all others: no id has version 0. Null = below all. */
export function idBefore(sinceMs: number | null): string {
  const hex = Math.min(Math.ceil(sinceMs ?? 0), idTimeMaxMs)
    .toString(16)
    .padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
