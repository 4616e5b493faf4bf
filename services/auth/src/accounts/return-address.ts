import type { Answer } from "@touchstone/service-kit";

/** The fields in which a client names a page, and the library's error for a foreign one. */
const refusals = {
  callbackURL: { code: "INVALID_CALLBACK_URL", message: "Invalid callbackURL" },
  redirectTo: { code: "INVALID_REDIRECT_URL", message: "Invalid redirectURL" },
} as const;

const nowhere = "https://nowhere.invalid";

/**
 * True if a browser may be sent to an address named by a client: a path of this installation, or a page of a trusted
 * origin. The library's own check accepts `/..//evil.example`, and later turns it into `//evil.example`.
 */
export function isReturnAddress(text: string, trustedOrigins: readonly string[]): boolean {
  if (/[\p{Cc}\p{Z}\\]/u.test(text)) return false;
  if (!text.startsWith("/")) {
    const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
    return url !== null && url.username === "" && url.password === "" && trustedOrigins.includes(url.origin);
  }
  const url = URL.parse(text, nowhere);
  const [path = ""] = text.split(/[?#]/, 1);
  return url?.origin === nowhere && !url.pathname.startsWith("//") && !/%2f|%5c/i.test(path);
}

/** The error for a request of the sign-in family that names a foreign page; null if it names none. */
export function refuseForeignReturn(
  { path, body }: { path: string; body: string | null },
  trustedOrigins: readonly string[],
): Answer | null {
  const fields: unknown = body === null ? null : JSON.parse(body);
  const query = URL.parse(path, nowhere)?.searchParams;
  for (const [name, refusal] of Object.entries(refusals)) {
    const inBody =
      typeof fields === "object" && fields !== null ? (fields as Record<string, unknown>)[name] : undefined;
    // The library rejects values that are not text, and names the field.
    const named = [inBody, ...(query?.getAll(name) ?? [])].filter((each) => typeof each === "string" && each !== "");
    if (!named.every((each) => isReturnAddress(each as string, trustedOrigins))) return { status: 403, body: refusal };
  }
  return null;
}
