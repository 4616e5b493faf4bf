/**
 * Why a call to somebody else's server did not succeed.
 *
 * - `url_refused`: the text is no address that we call.
 * - `address_refused`: the host has no address that we may call.
 * - `unreachable`: no connection, or it broke.
 * - `timeout`: no complete answer in time.
 * - `answer_too_large`: the answer is longer than the caller reads.
 * - `answer_unreadable`: the answer is no HTTP that we understand, or its compression is broken.
 */
export type OutboundErrorKind =
  | "url_refused"
  | "address_refused"
  | "unreachable"
  | "timeout"
  | "answer_too_large"
  | "answer_unreadable";

/**
 * A failed call of {@link createOutboundFetch}. `message` is a sentence for the user who named the address. It says
 * nothing that only somebody inside the network should know: a name that does not exist, one that leads inside and a
 * port that is closed are not told apart. There is deliberately no `cause`, since callers store and log what failed.
 */
export class OutboundError extends Error {
  override readonly name = "OutboundError";
  readonly kind: OutboundErrorKind;

  constructor(kind: OutboundErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
