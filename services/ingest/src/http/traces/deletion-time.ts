import type { Call, Clock } from "@touchstone/service-kit";

/** How long a deletion works before it answers how far it came: well within the gateway's deadline. */
const workMs = 20_000;

/** Says whether a deletion may begin its next transaction: not when its time is up, nor when its caller is gone. */
export function deletionTime({ signal }: Pick<Call, "signal">, clock: Clock): () => boolean {
  const startedMs = clock.now();
  return () => !signal.aborted && clock.now() - startedMs < workMs;
}
