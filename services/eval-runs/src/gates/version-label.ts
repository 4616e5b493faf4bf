import { isJsonObject } from "@touchstone/service-kit";

/**
 * The version of the agent that a run's subject names (completions 5.1): `version`, else `metadata.version`, trimmed;
 * null when it names none. `subject` is the JSON text it is stored as.
 */
export function readVersionLabel(subject: string | null): string | null {
  const parsed: unknown = subject === null ? null : JSON.parse(subject);
  if (!isJsonObject(parsed)) return null;
  const metadata = isJsonObject(parsed.metadata) ? parsed.metadata : {};
  for (const version of [parsed.version, metadata.version]) {
    const label = typeof version === "number" ? String(version) : version;
    if (typeof label === "string" && label.trim() !== "") return label.trim();
  }
  return null;
}
