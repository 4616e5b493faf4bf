/** Headers of every answer, whatever becomes of the request. Names in small letters. */
export type AnswerHeaders = Readonly<Record<string, string>>;

const oneYearSeconds = 365 * 24 * 60 * 60;

/**
 * What a browser may do with our answers, which are data: run and load nothing, show them in no other page, guess no other
 * type, tell nobody the address they came from. Pages of trusted origins read them through CORS, which this leaves as it
 * is. Browsers are told to come back over https alone where users are known to come that way.
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
