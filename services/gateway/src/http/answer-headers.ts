/** Headers of every answer, whatever its status. Names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string>>;

const oneYearSeconds = 365 * 24 * 60 * 60;

/**
 * Restrictions for browsers on API answers, which are data: no scripts or loading, no framing, no type sniffing, no
 * referrer. CORS for trusted origins is not affected. HSTS is sent only if users are known to connect over https.
 */
export function answerHeadersFor({ publicUrl }: { publicUrl: string | null }): AnswerHeaders {
  const always = {
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
  };
  if (publicUrl === null || !publicUrl.startsWith("https:")) return always;
  return { ...always, "strict-transport-security": `max-age=${oneYearSeconds}` };
}
