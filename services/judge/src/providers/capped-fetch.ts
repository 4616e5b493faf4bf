/** The provider's answer is longer than {@link replyMaxBytes}. */
export class ReplyTooLargeError extends Error {
  override readonly name = "ReplyTooLargeError";
}

/** Longest answer that is read, after decompression. */
const replyMaxBytes = 1024 * 1024;

/** The client library adds a dozen headers about our machine, and any that its own environment variables name. */
const headersSent = ["accept", "authorization", "content-type", "user-agent"];

/**
 * The `fetch` that provider calls go through. It follows no redirect (a provider must not be able to send our key or
 * prompts elsewhere), sends only the headers a call needs, and stops reading after {@link replyMaxBytes}, counted
 * after decompression, so a small answer that inflates to gigabytes is cut off too.
 */
export async function cappedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const given = new Headers(init?.headers);
  const headers = new Headers();
  for (const name of headersSent) {
    const value = given.get(name);
    if (value !== null) headers.set(name, value);
  }
  const response = await fetch(input, { ...init, headers, redirect: "manual" });
  if (response.body === null) return response;
  let bytes = 0;
  const capped = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > replyMaxBytes) controller.error(new ReplyTooLargeError(`more than ${replyMaxBytes} bytes`));
        else controller.enqueue(chunk);
      },
    }),
  );
  return new Response(capped, { status: response.status, statusText: response.statusText, headers: response.headers });
}
