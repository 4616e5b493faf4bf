/**
 * A start refused for a reason the operator can mend, such as a port that is taken. The message is a whole sentence and
 * is printed as it stands, without a stack.
 */
export class StartError extends Error {
  override readonly name = "StartError";
}

/** Makes the operator's sentence of a failure to listen on the port of a setting; any other failure comes back as it is. */
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
