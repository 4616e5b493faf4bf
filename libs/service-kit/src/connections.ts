import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { drainingHeader, notTakenHeader } from "@touchstone/contracts";

/** The connections of an internal server, and how it closes them. */
export interface Connections {
  /**
   * Ends every idle connection with an answer that says so. A request that crosses it is then known not to have been
   * accepted, and its sender may repeat it elsewhere.
   */
  dismissIdle(): void;
  /** Whether a connection was dismissed: later data on it must be ignored. */
  isDismissed(socket: Socket): boolean;
  /** Answers that a request was not accepted. */
  refuse(request: IncomingMessage, response: ServerResponse): void;
  /** Resolves when no connection is left, or after `ms`. */
  whenGone(ms: number): Promise<void>;
  /** Resolves when no request is in progress, or after `ms`. */
  whenIdle(ms: number): Promise<void>;
  /** Destroys the remaining connections. */
  cutAll(): void;
}

const notTaken = { [notTakenHeader]: "1", [drainingHeader]: "1", "content-length": "0", connection: "close" };

const farewell = [
  "HTTP/1.1 503 Service Unavailable",
  ...Object.entries(notTaken).map(([name, value]) => `${name}: ${value}`),
  "",
  "",
].join("\r\n");

/** How long the other side may take to close a dismissed connection. */
const farewellMs = 1_000;

/**
 * Counts connections. HTTP/1.1 cannot announce the end of an idle connection: a server that just closes it may do so
 * while a request is on its way, and that request cannot be distinguished from one that was lost half done.
 */
export function trackConnections(server: Server): Connections {
  const busy = new Map<Socket, number>();
  const dismissed = new WeakSet<Socket>();
  server.on("connection", (socket: Socket) => {
    busy.set(socket, 0);
    socket.once("close", () => busy.delete(socket));
  });
  server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    busy.set(socket, (busy.get(socket) ?? 0) + 1);
    response.once("close", () => {
      if (busy.has(socket)) busy.set(socket, (busy.get(socket) ?? 1) - 1);
    });
  });

  async function waitUntil(isSo: () => boolean, ms: number): Promise<void> {
    const deadline = performance.now() + ms;
    while (!isSo() && performance.now() < deadline) await sleep(10);
  }

  function dismissIdle(): void {
    for (const [socket, requests] of busy) {
      if (requests > 0 || dismissed.has(socket)) continue;
      dismissed.add(socket);
      // Half closed: data that crosses our answer is read and discarded. A full close would trigger a reset that may
      // overtake the answer.
      socket.end(farewell);
      const cut = setTimeout(() => socket.destroy(), farewellMs);
      socket.once("close", () => clearTimeout(cut));
    }
  }
  // Node calls this itself when the server is closed, and would just close them.
  server.closeIdleConnections = dismissIdle;

  return {
    dismissIdle,
    isDismissed: (socket) => dismissed.has(socket),
    refuse(request, response) {
      // Read to its end first: an answer in the middle of a body would be lost in the reset that follows it.
      request.resume();
      if (dismissed.has(request.socket)) return;
      request.once("end", () => response.writeHead(503, notTaken).end());
    },
    whenGone: (ms) => waitUntil(() => busy.size === 0, ms),
    whenIdle: (ms) =>
      waitUntil(() => [...busy].every(([socket, requests]) => requests === 0 || dismissed.has(socket)), ms),
    cutAll() {
      for (const socket of busy.keys()) socket.destroy();
    },
  };
}
