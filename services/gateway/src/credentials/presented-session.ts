const name = "touchstone.session_token";
const cookieMaxChars = 1_000;

/**
 * The session cookie of a request, or null. On https only the cookie with the prefix counts: a page on http could set
 * the other one.
 */
export function readSessionCookie(cookies: string | undefined, isSecure: boolean): string | null {
  const wanted = `${isSecure ? "__Secure-" : ""}${name}=`;
  for (const cookie of (cookies ?? "").split(";")) {
    const text = cookie.trim();
    if (!text.startsWith(wanted)) continue;
    const value = text.slice(wanted.length);
    return value !== "" && value.length <= cookieMaxChars ? value : null;
  }
  return null;
}

/** The installation's cookies in a request, for the accounts library; null if there are none. */
export function ownCookies(cookies: string | undefined): string | null {
  const own = (cookies ?? "")
    .split(";")
    .map((cookie) => cookie.trim())
    .filter((cookie) => /^(__Secure-)?touchstone\./.test(cookie));
  return own.length === 0 ? null : own.join("; ");
}
