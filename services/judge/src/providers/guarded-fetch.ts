import { OutboundError, type OutboundFetch } from "@touchstone/service-kit";
import { BrokenReplyError, pickHeaders, ReplyTooLargeError } from "./capped-fetch.ts";

/**
 * The `fetch` for endpoints that users named: through the guarded client, which decides where it may lead. Sends only the
 * headers a call needs, and fails as `cappedFetch` does, so that failures read alike.
 */
export function createGuardedFetch(outbound: OutboundFetch): typeof globalThis.fetch {
  return async (input, init = {}) => {
    if (input instanceof Request) throw new TypeError("only texts are sent");
    try {
      const answer = await outbound(input, { ...init, headers: pickHeaders(init.headers) });
      // Whole, as the caller takes it, so that a body that breaks off is this call's failure.
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
