import type { Msg } from "@nats-io/transport-node";
import type { Connection } from "./connection.ts";

/** A message for one token. `tail` is the part of the subject after the token, or empty. */
export type Receive = (message: Msg, tail: string) => void;

/** One subscription that all open requests share, so that no request can leak one. */
export interface MuxInbox {
  /** The subject for one token; it may be extended by further tokens, which arrive as the tail. */
  subjectOf(token: string): string;
  open(token: string, receive: Receive): void;
  close(token: string): void;
}

/**
 * Subscribes to `<prefix>.>` on every connection. The prefix is constant for the life of the bus, so a request sent
 * before an outage of NATS can be answered after it. `unclaimed` receives messages without an open token.
 */
export function createMuxInbox(connection: Connection, prefix: string, unclaimed: Receive): MuxInbox {
  const receivers = new Map<string, Receive>();

  connection.watch({
    established(nats) {
      nats.subscribe(`${prefix}.>`, {
        callback(err, message) {
          // The only error is a refused subscription, which the connection has logged.
          if (err) return;
          const [token = "", ...tail] = message.subject.slice(prefix.length + 1).split(".");
          const receive = receivers.get(token) ?? unclaimed;
          receive(message, tail.join("."));
        },
      });
    },
  });

  return {
    subjectOf: (token) => `${prefix}.${token}`,
    open: (token, receive) => void receivers.set(token, receive),
    close: (token) => void receivers.delete(token),
  };
}
