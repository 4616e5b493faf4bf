import path from "node:path";
import { EmbeddedServerError } from "./embedded-server-error.ts";
import type { ServerAccount } from "./server-account.ts";

/** Turns a failure to start a program into one sentence. */
export function explainSpawnFailure(
  error: NodeJS.ErrnoException,
  { executable, account }: { executable: string; account: ServerAccount | null },
): EmbeddedServerError {
  const name = path.basename(executable);
  if (account !== null && (error.code === "EPERM" || error.code === "EINVAL")) {
    return new EmbeddedServerError(
      "account_unavailable",
      `${name} cannot be switched from root to user id ${account.uid} here.`,
      {
        hint: "Run Touchstone as an ordinary user; inside a container, choose one with --user or in the pod's security context.",
        cause: error,
      },
    );
  }
  if (error.code === "EACCES") {
    return new EmbeddedServerError("no_permission", `${executable} may not be executed.`, {
      hint: "The disk that holds SERVICE_HOME may be mounted noexec; set SERVICE_HOME to a folder on another one.",
      cause: error,
    });
  }
  return new EmbeddedServerError("server_failed", `${executable} does not run on this system.`, {
    hint: "The embedded servers need Linux with glibc; elsewhere set SERVICE_DB_URL and SERVICE_NATS_URL to servers of your own.",
    cause: error,
  });
}
