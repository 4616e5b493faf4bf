/**
 * The page to open after sign-in, from the `next` of a URL: a path of this origin, or null. It begins with exactly one `/`;
 * anything that a browser reads as another origin (`//`, `/\`, a tab between them) is refused.
 */
export function readNext(raw: unknown): string | null {
  if (typeof raw !== "string" || !raw.startsWith("/") || /^\/[/\\]|[\p{Cc}\\]/u.test(raw)) return null;
  const url = URL.parse(raw, "https://here.invalid");
  if (url === null || url.origin !== "https://here.invalid" || url.pathname.startsWith("//")) return null;
  return url.pathname + url.search + url.hash;
}

/** The address of a sign-in page that leads to `next`. */
export function withNext(path: string, next: string | null): string {
  return next === null || next === "/" ? path : `${path}?next=${encodeURIComponent(next)}`;
}
