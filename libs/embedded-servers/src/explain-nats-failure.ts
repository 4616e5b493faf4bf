import { EmbeddedServerError } from "./embedded-server-error.ts";
import { describeEnd, explainKill, lastWords } from "./explain-postgres-failure.ts";
import type { ProcessExit } from "./server-process.ts";

/** Turns nats-server's output before its failure into one sentence. `exit` is null when it runs but is not ready. */
export function explainNatsFailure(
  output: string,
  exit: ProcessExit | null,
  { port, wasReady = false }: { port: number; wasReady?: boolean },
): EmbeddedServerError {
  if (wasReady && exit?.signal === "SIGKILL") return explainKill("nats-server");
  const cause = lastWords(output);
  if (/no space left on device/i.test(output)) {
    return new EmbeddedServerError(
      "disk_full",
      `nats-server ${wasReady ? "ended" : "did not start"} because the disk is full.`,
      { hint: "Free some space on the disk that holds SERVICE_HOME; nothing is lost.", cause },
    );
  }
  if (/address already in use/.test(output)) {
    return new EmbeddedServerError(
      "port_in_use",
      `nats-server cannot listen on port ${port} of 127.0.0.1, because another program does.`,
      {
        hint: "Stop that program, or leave the port to Touchstone, which then takes a free one.",
        cause,
      },
    );
  }
  if (/permission denied|operation not permitted|read-only file system|EACCES|EPERM/i.test(output)) {
    return new EmbeddedServerError("no_permission", "nats-server may not read or write its folder.", {
      hint: "Check owner and mode of SERVICE_HOME and everything below it; it must belong to the user that starts Touchstone.",
      cause,
    });
  }
  return new EmbeddedServerError("server_failed", `nats-server ${describeEnd(exit, wasReady)}.`, {
    hint: "logs/nats.log in SERVICE_HOME says more; its last lines are the cause of this error.",
    cause,
  });
}
