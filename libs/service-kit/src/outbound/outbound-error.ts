/**
 * Why a call to an external server did not succeed.
 *
 * - `url_refused`: the text is not a URL that we call.
 * - `address_refused`: the host has no address that we may call.
 * - `unreachable`: no connection, or it broke.
 * - `timeout`: no complete answer in time.
 * - `answer_too_large`: the answer is longer than the caller reads.
 * - `answer_unreadable`: the answer is not valid HTTP, or its compression is broken.
 */
export type OutboundErrorKind =
  | "url_refused"
  | "address_refused"
  | "unreachable"
  | "timeout"
  | "answer_too_large"
  | "answer_unreadable";

/**
 * A failed call of {@link createOutboundFetch}. `message` is a sentence for the user who configured the address. It
 * reveals nothing about the internal network: a name that does not exist, one that leads inside and a closed port have
 * the same message. There is deliberately no `cause`, because callers store and log the error.
 */
export class OutboundError extends Error {
  override readonly name = "OutboundError";
  readonly kind: OutboundErrorKind;

  constructor(kind: OutboundErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
