import { OutboundError, type OutboundReach, readOutboundUrl } from "@touchstone/service-kit";

/** The outcome of {@link checkUrl}. */
export type CheckedUrl =
  /** Its normal form. */
  | { href: string }
  /** Why it is never called; the message is for the user who configured it. */
  | { refusal: OutboundError };

/**
 * Checks the text of a URL: its form, its port, and its address if the host is one. A refusal lasts. A name is accepted, because
 * its addresses are checked at each call: if it has none that may be called, it may only have failed to resolve for a moment, and
 * a later call may succeed.
 */
export function checkUrl(text: string, reach: OutboundReach): CheckedUrl {
  try {
    return { href: readOutboundUrl(text, reach).href };
  } catch (thrown) {
    if (!(thrown instanceof OutboundError)) throw thrown;
    return { refusal: thrown };
  }
}
