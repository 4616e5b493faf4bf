import type { Server } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Continuous new connections do not keep a port open for longer. */
const newcomersMax = 1_000;

/** Nor does a process that hardly gets the processor. */
const closeWithinMs = 5_000;

/** A longer turn of the loop did other work, or waited for the processor, after it had accepted connections. */
const turnMaxMs = 0.5;

/**
 * Closes the port of a server; resolves when its last connection has ended. Connections that the kernel has already
 * completed are accepted first: closing the port resets them, with the requests sent on them. A connection that arrives
 * between the last accept and the closing cannot be saved, so the port is closed right after an accept.
 */
export async function closePort(server: Server): Promise<void> {
  let newcomers = 0;
  const note = (): void => {
    newcomers += 1;
  };
  server.on("connection", note);
  const deadline = performance.now() + closeWithinMs;
  // A turn of the loop accepts one connection, then runs this code. The first turn may have begun already.
  await nextTurn();
  let beganMs: number;
  let before: number;
  do {
    before = newcomers;
    beganMs = performance.now();
    await nextTurn();
  } while (
    (newcomers > before || performance.now() - beganMs > turnMaxMs) &&
    newcomers < newcomersMax &&
    performance.now() < deadline
  );
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.off("connection", note);
  await closed;
}
