import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { Identity } from "@touchstone/contracts";
import type { Pieces } from "./pieces.ts";

/** A request to a service that lives in the same process. */
export interface LocalRequest {
  method: string;
  /** With the query string. */
  path: string;
  headers: IncomingHttpHeaders;
  /** Unsigned: only code of this process can hand over an object. */
  identity: Identity;
  /** Empty when there is none. */
  body: Buffer;
  /** Aborts when the caller has disconnected; created on demand. */
  signal: () => AbortSignal;
}

/** The answer that the same request would get over HTTP. */
export interface LocalAnswer {
  status: number;
  headers: Record<string, string | string[]>;
  /** A stream that its receiver must read to its end, or destroy. */
  body: Pieces | Readable;
}

/** Answers a request; null for one that has to be sent over HTTP. */
export type AnswerLocally = (request: LocalRequest) => Promise<LocalAnswer> | null;

/**
 * Lets services in one process pass requests to one another without a socket: HTTP is two thirds of the cost of a small
 * write. Only the code that composes them into one process creates this. A server registers under its address, a client
 * with this address asks there first, and everything else about a request stays: its bytes, its identity, its deadline, its
 * limits, its metrics.
 */
export interface LocalCalls {
  offer(address: string, answer: AnswerLocally): void;
  withdraw(address: string): void;
  find(address: string): AnswerLocally | null;
}

export function createLocalCalls(): LocalCalls {
  const offered = new Map<string, AnswerLocally>();
  return {
    offer: (address, answer) => void offered.set(address, answer),
    withdraw: (address) => void offered.delete(address),
    find: (address) => offered.get(address) ?? null,
  };
}
