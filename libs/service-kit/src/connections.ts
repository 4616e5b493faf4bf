import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { drainingHeader, notTakenHeader } from "@touchstone/contracts";

/** The connections of an internal server, and how it takes leave of them. */
export interface Connections {
  /**
   * Ends every connection that has no request in hand with an answer that says so. A request that crosses it is then
   * known not to have been taken, and its sender may repeat it elsewhere.
   */
  dismissIdle(): void;
  /** Whether a connection was dismissed: what still arrives on it must not be looked at. */
  isDismissed(socket: Socket): boolean;
  /** Tells the sender of a request that it is not taken. */
  refuse(request: IncomingMessage, response: ServerResponse): void;
  /** Resolves when no connection is left, or after `ms`. */
  whenGone(ms: number): Promise<void>;
  /** Resolves when no request is in hand, or after `ms`. */
  whenIdle(ms: number): Promise<void>;
  /** Cuts whatever is left. */
  cutAll(): void;
}

const notTaken = { [notTakenHeader]: "1", [drainingHeader]: "1", "content-length": "0", connection: "close" };

const farewell = [
  "HTTP/1.1 503 Service Unavailable",
  ...Object.entries(notTaken).map(([name, value]) => `${name}: ${value}`),
  "",
  "",
].join("\r\n");

/** How long the other side may take to close a connection that was dismissed. */
const farewellMs = 1_000;

/**
 * Keeps count. HTTP/1.1 has no way to announce the end of an idle connection: a server that just closes it may close it
 * on a request that is under way, and nobody can tell such a request from one that was lost half done.
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
      // Half closed: what crosses our words is read and dropped. Closed at once, it would draw a reset that may
      // overtake them.
      socket.end(farewell);
      const cut = setTimeout(() => socket.destroy(), farewellMs);
      socket.once("close", () => clearTimeout(cut));
    }
  }
  // Node calls this by itself when the server is closed, and would just close them.
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
