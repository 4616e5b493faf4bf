/** A nats-server of a test, as a process or in a container. */
export interface TestNats {
  /** Without credentials; `users` connect with `user` and `pass`. */
  url: string;
  port: number;
  /** The id of the current process. */
  readonly pid: number;
  /** Stops it and deletes the store if it created it. May be called twice. */
  stop(): Promise<void>;
  /** Sends a signal; if the signal ends the process, returns after its end. SIGSTOP and SIGCONT return at once. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Restarts it on the same port and store; a running one is stopped first. */
  restart(): Promise<void>;
}
