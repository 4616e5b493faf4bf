import type { IncomingMessage } from "node:http";

export interface ArrivalBounds {
  /** How long a body may take altogether; for one that is read as it comes, how long it may stand still. */
  arrivalMs: number;
  isReadAsItComes: boolean;
}

/**
 * Gives up a request whose body does not arrive in time. Node's own bound is one for all requests; a body of lines may
 * take as long as it moves. Time in which the reader is the slow one does not count against the sender.
 */
export function watchArrival(
  request: IncomingMessage,
  { arrivalMs, isReadAsItComes }: ArrivalBounds,
  giveUp: () => void,
): void {
  if (request.complete) return;
  const { socket } = request;
  let bytesSeen = socket.bytesRead;
  const timer = setTimeout(() => {
    if (request.complete) return;
    const isMoving = socket.bytesRead > bytesSeen || request.readableLength > 0;
    if (!isReadAsItComes || !isMoving) return giveUp();
    bytesSeen = socket.bytesRead;
    timer.refresh();
  }, arrivalMs);
  const forget = (): void => clearTimeout(timer);
  request.once("end", forget);
  request.once("close", forget);
}
