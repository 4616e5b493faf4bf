import { readlinkSync } from "node:fs";
import path from "node:path";
import { lowerPriority } from "../lower-priority.ts";
import { Moved } from "./compute-task.ts";

/** The input of a thread. */
export interface ComputeCall {
  module: string;
  name: string;
  input: unknown;
  /** When the function was called, by the clock that all threads share; 0 before. */
  calledAt: BigInt64Array<SharedArrayBuffer>;
}

/** Deadlines are times on the clock, and ordinary computations need a large part of them. */
const stepsBack = 5;

lowerOwnPriority();

/** Linux has a priority for each thread. Elsewhere threads stay as they are. */
function lowerOwnPriority(): void {
  if (process.platform !== "linux") return;
  try {
    lowerPriority(Number(path.basename(readlinkSync("/proc/thread-self"))), stepsBack);
  } catch {
    // There is no /proc.
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
