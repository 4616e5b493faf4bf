/** The task of a thread: a call of a module's function. */
export interface ComputeTask<Input, Output> {
  /** Names the function in metrics and errors; the export of the module has the same name. */
  name: string;
  /** File URL of the module. */
  module: string;
  /** Only a type: the function's input and output. */
  readonly shape?: (input: Input) => Output;
}

/**
 * Names a function for {@link ComputePool.run}. Its input and output are copied between threads, so both are plain
 * data; a function may return {@link Moved} for buffers that are not to be copied. Each thread that runs it loads its
 * module, which should import little, because a thread keeps its modules in memory. Type-only imports cost nothing
 * there. Its file ends in `-thread.ts`: the image keeps what Node makes of these.
 *
 * ```ts
 * import type { countWords } from "./count-words-thread.ts";
 * const task = defineComputeTask<typeof countWords>("countWords", new URL("./count-words-thread.ts", import.meta.url));
 * ```
 */
export function defineComputeTask<Work extends (input: never) => unknown>(
  name: string,
  module: URL,
): ComputeTask<Parameters<Work>[0], ResultOf<Work>> {
  return { name, module: module.href };
}

type ResultOf<Work extends (input: never) => unknown> =
  Awaited<ReturnType<Work>> extends Moved<infer Value> ? Value : Awaited<ReturnType<Work>>;

/** The result of a computation whose buffers are moved to the caller instead of copied. */
export class Moved<Value> {
  readonly value: Value;
  readonly buffers: readonly ArrayBuffer[];

  constructor(value: Value, buffers: readonly ArrayBuffer[]) {
    this.value = value;
    this.buffers = buffers;
  }
}
