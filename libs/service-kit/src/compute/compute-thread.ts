import { readlinkSync } from "node:fs";
import { constants, getPriority, setPriority } from "node:os";
import path from "node:path";
import { Moved } from "./compute-task.ts";

/** The input of a thread. */
export interface ComputeCall {
  module: string;
  name: string;
  input: unknown;
  /** When the function was called, by the clock that all threads share; 0 before. */
  calledAt: BigInt64Array<SharedArrayBuffer>;
}

/** A thread gets a third of a processor that the event loop or PostgreSQL want, too: deadlines are times on the clock. */
const stepsBack = 5;

stepBack();

/**
 * Linux has a priority for each thread. The event loop and PostgreSQL go first: threads that compute for a few projects would
 * otherwise take all processors of a small machine. Elsewhere threads stay as they are.
 */
function stepBack(): void {
  if (process.platform !== "linux") return;
  try {
    const thread = Number(path.basename(readlinkSync("/proc/thread-self")));
    setPriority(thread, Math.min(constants.priority.PRIORITY_LOW, getPriority(thread) + stepsBack));
  } catch {
    // Without /proc, or where the system refuses it, the computation is still right.
  }
}

/** Runs in a thread of the pool: loads the module and calls its function. */
export async function compute({ module, name, input, calledAt }: ComputeCall): Promise<unknown> {
  const work: unknown = (await import(module))[name];
  if (typeof work !== "function") throw new Error(`${module} exports no function ${name}`);
  Atomics.store(calledAt, 0, process.hrtime.bigint());
  const result: unknown = await work(input);
  return result instanceof Moved ? moving(result) : result;
}

/** What the library takes for a result with buffers to move. Most computations move none, and do without its code. */
async function moving({ value, buffers }: Moved<unknown>): Promise<unknown> {
  const { move, transferableSymbol, valueSymbol } = await import("piscina");
  return move({ [transferableSymbol]: buffers, [valueSymbol]: value } as unknown as Parameters<typeof move>[0]);
}
