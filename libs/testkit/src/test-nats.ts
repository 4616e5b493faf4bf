/** A nats-server of a test, as a process or in a container. */
export interface TestNats {
  /** Without credentials; `users` connect with `user` and `pass`. */
  url: string;
  port: number;
  /** Of the process that runs now. */
  readonly pid: number;
  /** Stops it and deletes the store it made itself. May be called twice. */
  stop(): Promise<void>;
  /** Sends a signal and, when the signal ends the process, returns after its end. SIGSTOP and SIGCONT return at once. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Starts it again on the same port and store, after stopping it if it still runs. */
  restart(): Promise<void>;
}
