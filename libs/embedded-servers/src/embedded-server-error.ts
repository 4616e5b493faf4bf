/** Why an embedded server could not be had. Programs branch on the code; people read the message and the hint. */
export type EmbeddedServerErrorCode =
  | "already_running"
  | "binary_missing"
  | "binary_not_trusted"
  | "binary_changed"
  | "account_unavailable"
  | "home_not_usable"
  | "data_of_another_version"
  | "data_damaged"
  | "disk_full"
  | "no_permission"
  | "port_in_use"
  | "server_failed";

/**
 * A failure an operator can do something about. `message` is one sentence about what is wrong, `hint` one sentence about
 * what to do; neither holds a secret. The server's own last words, when there are any, are the `cause`.
 */
export class EmbeddedServerError extends Error {
  override readonly name = "EmbeddedServerError";
  readonly code: EmbeddedServerErrorCode;
  readonly hint: string;

  constructor(code: EmbeddedServerErrorCode, message: string, options: { hint: string; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
  }
}
