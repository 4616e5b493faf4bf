import type { Readiness } from "./http-server.ts";

/**
 * The interface of a service for the code that composes it: `create<Name>(config, deps)` builds it without connecting.
 * `start` resolves when it serves; `stop` finishes open requests and frees everything, also after a failed start.
 */
export interface Service {
  name: string;
  /** Migrates, connects, listens. Returns its address, or null for a service without HTTP. */
  start(): Promise<{ address: string | null }>;
  stop(): Promise<void>;
  readiness(): Promise<Readiness>;
}
