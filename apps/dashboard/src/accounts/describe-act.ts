/** `monitoring-profile.changed` as a person reads it: `Monitoring profile changed`. */
export function describeAction(action: string): string {
  const words = action.replaceAll(/[.-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The details of an act in one line: `name: Default, changed: threshold`. Nulls are left out. */
export function describeDetails(details: Readonly<Record<string, unknown>>): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null && value !== "" && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => `${spaced(name)}: ${typeof value === "object" ? JSON.stringify(value) : String(value)}`)
    .join(", ");
}

/** `projectsTaken` as words: `projects taken`. */
function spaced(name: string): string {
  return name.replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
}
