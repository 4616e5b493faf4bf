import { hash } from "node:crypto";

/**
 * A UUID (version 8) derived from a list of texts, the same on every replica: 122 bits of their SHA-256. The texts
 * contain no NUL, so the separator keeps `["ab", "c"]` and `["a", "bc"]` apart.
 */
export function hashUuid(...texts: readonly string[]): string {
  const hex = hash("sha256", texts.join("\0"), "hex");
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return toUuid(`${hex.slice(0, 12)}8${hex.slice(13, 16)}${variant}${hex.slice(17, 32)}`);
}

/** Formats 32 hexadecimal digits, such as an OTel trace id, as a UUID. */
export function toUuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The largest value of 48 bits. */
const idTimeMaxMs = 2 ** 48 - 1;

/** Below every id whose time is `sinceMs` or later, and above all others: no id has version 0. Null = below all. */
export function idBefore(sinceMs: number | null): string {
  const hex = Math.min(Math.ceil(sinceMs ?? 0), idTimeMaxMs)
    .toString(16)
    .padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/**
 * The id that the first trace of this name gives its agent, and the key by which an agent of the name is found. A hash,
 * so that concurrent first traces agree without a lookup (completions 2.2, agent resolution).
 */
export function agentIdOf(projectId: string, name: string): string {
  return hashUuid("agent", projectId, name);
}
