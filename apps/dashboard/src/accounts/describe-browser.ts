const browsers = [
  ["Edge", /\bEdgA?\//],
  ["Opera", /\bOPR\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|CriOS)\//],
  ["Safari", /\bVersion\/[\d.]+.*\bSafari\//],
] as const;

const systems = [
  ["iOS", /iPhone|iPad/],
  ["Android", /Android/],
  ["Windows", /Windows/],
  ["macOS", /Mac OS X/],
  ["Linux", /Linux/],
] as const;

/** `Firefox on Linux` for a user agent; the first word for one that is no browser. */
export function describeBrowser(userAgent: string | null): string {
  if (userAgent === null || userAgent.trim() === "") return "Unknown browser";
  const find = (named: readonly (readonly [string, RegExp])[]) =>
    named.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const [browser, system] = [find(browsers), find(systems)];
  if (browser === undefined) return userAgent.split(/[\s/]/)[0]?.slice(0, 40) ?? "Unknown browser";
  return system === undefined ? browser : `${browser} on ${system}`;
}
