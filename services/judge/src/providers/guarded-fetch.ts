import { OutboundError, type OutboundFetch } from "@touchstone/service-kit";
import { BrokenReplyError, pickHeaders, ReplyTooLargeError } from "./capped-fetch.ts";

/**
 * The `fetch` for endpoints that users configured: through the guarded client, which checks the address. Sends only required
 * headers, and fails like `cappedFetch`, so that both have the same failures.
 */
export function createGuardedFetch(outbound: OutboundFetch): typeof globalThis.fetch {
  return async (input, init = {}) => {
    if (input instanceof Request) throw new TypeError("only texts are sent");
    try {
      const answer = await outbound(input, { ...init, headers: pickHeaders(init.headers) });
      // Read completely, as the caller needs it, so that a body that breaks off fails this call.
      const content = answer.body === null ? null : await answer.arrayBuffer();
      return new Response(content, { status: answer.status, headers: answer.headers });
    } catch (thrown) {
      if (!(thrown instanceof OutboundError)) throw thrown;
      if (thrown.kind === "answer_too_large") throw new ReplyTooLargeError(thrown.message);
      if (thrown.kind === "answer_unreadable") throw new BrokenReplyError(thrown.message);
      throw new TypeError(thrown.message);
    }
  };
}
