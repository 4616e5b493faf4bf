import type { Readiness } from "./http-server.ts";

/**
 * A service as whoever composes it sees it: built by `create<Name>(config, deps)`, which connects to nothing yet.
 * `start` resolves when it serves; `stop` finishes what is in hand and frees everything, also after a failed start.
 */
export interface Service {
  name: string;
  /** Migrates, connects, listens. Answers the address it listens on, or null for a service without HTTP. */
  start(): Promise<{ address: string | null }>;
  stop(): Promise<void>;
  readiness(): Promise<Readiness>;
}
