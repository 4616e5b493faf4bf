/** Types under which content is sent. Anything else could be a page, which would run in the origin of the dashboard. */
const known: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"];
const texts: readonly string[] = ["text/plain", "application/json"];

/**
 * The headers under which content is sent. Whatever the client said it is, a browser neither guesses another type nor
 * runs or loads anything. Only images, audio and video are shown in place; a pdf is not, because the viewers of browsers
 * do not start in a sandbox.
 */
export function headersOfContent(stored: { id: string; contentType: string }): {
  contentType: string;
  headers: Record<string, string>;
} {
  const type = stored.contentType.toLowerCase();
  const isPlayed = /^(?:audio|video)\/[\w.+-]+$/.test(type) && !type.endsWith("+xml");
  const isKnown = isPlayed || known.includes(type) || texts.includes(type);
  const isInline = isPlayed || (known.includes(type) && type.startsWith("image/"));
  return {
    contentType: !isKnown ? "application/octet-stream" : texts.includes(type) ? `${type}; charset=utf-8` : type,
    headers: {
      "content-disposition": isInline ? "inline" : `attachment; filename="${stored.id}"`,
      "content-security-policy": "sandbox; default-src 'none'",
      "x-content-type-options": "nosniff",
      "cache-control": "private, max-age=3600, immutable",
    },
  };
}
