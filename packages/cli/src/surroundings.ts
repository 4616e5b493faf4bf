import type { Touchstone } from "@touchstone/sdk";

/** What a command gets from the process it runs in. */
export interface Surroundings {
  /** The client of the options `--url` and the environment. */
  client(url?: string): Touchstone;
  print(text: string): void;
  /** What is not a result: progress, notes. */
  note(text: string): void;
  /** Whether notes go to a terminal. */
  isTerminal: boolean;
  /** Aborted by Ctrl-C. */
  interrupted: AbortSignal;
  /** For the commands that it starts. */
  environment: NodeJS.ProcessEnv;
}

/** What the exit code of a command means. An interrupted command exits with 130, as shells expect. */
export const exitCodes = { passed: 0, failed: 1, notAsked: 2, undecided: 3, interrupted: 130 } as const;

/** A mistake of the user or of the place it runs in. Only its message is shown; the exit code is 2. */
export class Failure extends Error {}
