import { EmbeddedServerError } from "./embedded-server-error.ts";

/** Runs `work` and turns errors of the file system into one sentence; every other error passes unchanged. */
export async function explainingFileFailures<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw explainFileFailure(error, folder) ?? error;
  }
}

/** The sentence for an error of a file operation below `folder`, or null when it is another kind of error. */
export function explainFileFailure(error: unknown, folder: string): EmbeddedServerError | null {
  if (!(error instanceof Error) || error instanceof EmbeddedServerError) return null;
  const { code, path: file = folder } = error as NodeJS.ErrnoException;
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return new EmbeddedServerError("disk_full", `The disk that holds ${folder} is full.`, {
        hint: "Free some space there (the servers need 300 MB to begin with); nothing is lost.",
        cause: error,
      });
    case "EACCES":
    case "EPERM":
      return new EmbeddedServerError("no_permission", `Touchstone may not write ${file}.`, {
        hint: "Give the folder to the user that starts Touchstone, or set SERVICE_HOME to one that user can write.",
        cause: error,
      });
    case "EROFS":
      return new EmbeddedServerError(
        "no_permission",
        `Touchstone cannot write ${file}, because its disk is mounted read-only.`,
        {
          hint: "Set SERVICE_HOME to a folder on a disk that can be written.",
          cause: error,
        },
      );
    case "ENOTDIR":
    case "EEXIST":
    case "ELOOP":
    case "ENAMETOOLONG":
      return new EmbeddedServerError("home_not_usable", `${file} cannot be used as a folder.`, {
        hint: "Set SERVICE_HOME to a folder; it is made when it does not exist.",
        cause: error,
      });
    default:
      return null;
  }
}
