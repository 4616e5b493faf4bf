/** What a thread is asked to do: call a function of a module. */
export interface ComputeTask<Input, Output> {
  /** Names the function in metrics and errors; the export of the module has the same name. */
  name: string;
  /** File URL of the module. */
  module: string;
  /** Only a type: what the function is given, and what it returns. */
  readonly shape?: (input: Input) => Output;
}

/**
 * Names a function for {@link ComputePool.run}. What it is given and what it returns are copied between threads, so both are
 * plain data. Its module is loaded in each thread that runs it and should import little: what a thread loads, it keeps in
 * memory. Type-only imports cost nothing there. Its file ends in `-thread.ts`: the image keeps what Node makes of these.
 *
 * ```ts
 * import type { countWords } from "./count-words-thread.ts";
 * const task = defineComputeTask<typeof countWords>("countWords", new URL("./count-words-thread.ts", import.meta.url));
 * ```
 */
export function defineComputeTask<Work extends (input: never) => unknown>(
  name: string,
  module: URL,
): ComputeTask<Parameters<Work>[0], Awaited<ReturnType<Work>>> {
  return { name, module: module.href };
}
