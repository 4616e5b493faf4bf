const slugMaxChars = 60;

/** The key of a pattern made of its name: its letters and digits, joined by dashes; `pattern` when it has none. */
export function keyOfName(name: string): string {
  const slug = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, slugMaxChars)
    .replace(/^-|-$/g, "");
  return `custom:${slug === "" ? "pattern" : slug}`;
}
