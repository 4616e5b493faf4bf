/** The input of a thread. */
export interface ComputeCall {
  module: string;
  name: string;
  input: unknown;
  /** When the function was called, by the clock that all threads share; 0 before. */
  calledAt: BigInt64Array<SharedArrayBuffer>;
}

/** Runs in a thread of the pool: loads the module and calls its function. */
export async function compute({ module, name, input, calledAt }: ComputeCall): Promise<unknown> {
  const work: unknown = (await import(module))[name];
  if (typeof work !== "function") throw new Error(`${module} exports no function ${name}`);
  Atomics.store(calledAt, 0, process.hrtime.bigint());
  return work(input);
}
