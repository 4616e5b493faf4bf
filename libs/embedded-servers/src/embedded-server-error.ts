/** Why an embedded server is unavailable. Programs check the code; people read the message and the hint. */
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
  | "backup_refused"
  | "backup_damaged"
  | "server_failed";

/**
 * A failure that an operator can fix. `message` is one sentence about the problem, `hint` one sentence about the fix;
 * neither contains a secret. The server's last output, if any, is the `cause`.
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
