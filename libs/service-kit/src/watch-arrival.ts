import type { IncomingMessage } from "node:http";

export interface ArrivalBounds {
  /** The time limit of a whole body; for a streamed one, the limit of a pause. */
  arrivalMs: number;
  isReadAsItComes: boolean;
}

/**
 * Aborts a request whose body does not arrive in time. Node has one limit for all requests; a body of lines may take as
 * long as it makes progress. Time spent waiting for the reader does not count against the sender.
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
