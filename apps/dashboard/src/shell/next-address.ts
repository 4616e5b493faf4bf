/**
 * Where to go after signing in, from the `next` of a URL: a path of this origin, or null. It begins with exactly one `/`;
 * what a browser reads as another origin (`//`, `/\`, a tab between them) is none.
 */
export function readNext(raw: unknown): string | null {
  if (typeof raw !== "string" || !raw.startsWith("/") || /^\/[/\\]|[\p{Cc}\\]/u.test(raw)) return null;
  const url = URL.parse(raw, "https://here.invalid");
  if (url === null || url.origin !== "https://here.invalid" || url.pathname.startsWith("//")) return null;
  return url.pathname + url.search + url.hash;
}

/** The address of a page of the sign-in family that leads on to `next`. */
export function withNext(path: string, next: string | null): string {
  return next === null || next === "/" ? path : `${path}?next=${encodeURIComponent(next)}`;
}
