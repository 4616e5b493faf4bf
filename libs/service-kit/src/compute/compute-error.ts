/**
 * - `timeout`: the computation did not end by its deadline; its thread was ended.
 * - `memory`: it needed more memory than a thread has; its thread was ended.
 * - `busy`: too many computations were already waiting; it was not started.
 * - `unavailable`: no thread could be started, or the pool was stopped.
 */
export type ComputeErrorKind = "timeout" | "memory" | "busy" | "unavailable";

/** Why a computation has no result, when its own code is not at fault. */
export class ComputeError extends Error {
  override readonly name = "ComputeError";
  readonly kind: ComputeErrorKind;

  constructor(kind: ComputeErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
