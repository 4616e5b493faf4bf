import { EmbeddedServerError } from "../embedded-server-error.ts";

/** What a failed backup leaves: the first question of who reads about one. */
const nothingChanged = "Nothing was backed up; earlier backups are as they were.";

/** The sentence for a backup that failed into a folder, or the error itself when it is another one. */
export function explainBackupFailure(error: unknown, to: string): unknown {
  if (error instanceof EmbeddedServerError || !(error instanceof Error)) return error;
  const { code = "", syscall, path: file = to } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new EmbeddedServerError("disk_full", `The disk that holds ${to} is full.`, {
      hint: `${nothingChanged} Free some space there, or keep fewer backups with --keep.`,
      cause: error,
    });
  }
  const isConnectionLost =
    /^(57P0[123]|ECONNRESET|ECONNREFUSED|EPIPE)$/.test(code) || /terminated|not queryable/.test(error.message);
  if (isConnectionLost) {
    return new EmbeddedServerError("backup_refused", "PostgreSQL ended during the backup.", {
      hint: `${nothingChanged} Repeat the backup when Touchstone is ready.`,
      cause: error,
    });
  }
  return syscall === undefined ? error : unusableFile(file, error);
}

/** A file that the operating system does not let us read or write. */
export function unusableFile(file: string, cause: NodeJS.ErrnoException): EmbeddedServerError {
  return new EmbeddedServerError("backup_refused", `${file} cannot be read or written (${cause.code}).`, {
    hint: "Check that its disk is mounted, and that the user that runs this may read and write it.",
    cause,
  });
}
