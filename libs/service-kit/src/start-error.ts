/**
 * A start refused for a reason that the operator can fix, such as a port in use. The message is a whole sentence and is
 * printed unchanged, without a stack.
 */
export class StartError extends Error {
  override readonly name = "StartError";
}

/**
 * Turns a failure to listen on the port of a setting into a sentence for the operator; returns any other failure
 * unchanged.
 */
export function translateListenError(thrown: unknown, port: number, variable = "PORT"): unknown {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  if (code === "EADDRINUSE") {
    return new StartError(`Port ${port} is already in use; set ${variable} to another one.`, { cause: thrown });
  }
  if (code === "EACCES") {
    return new StartError(`Port ${port} may only be opened by root; set ${variable} to one above 1023.`, {
      cause: thrown,
    });
  }
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    return new StartError("This machine does not have the address in SERVICE_HOST.", { cause: thrown });
  }
  return thrown;
}
