import type { EventContract, RequestContract } from "./define.ts";
import { keyRevoked, tracesStored } from "./events.v1.ts";
import { scoreResult } from "./judge.v1.ts";

export * from "./define.ts";
export * from "./events.v1.ts";
export * from "./judge.v1.ts";

/** Every message that crosses the bus. The golden `bus.v1.json` and the NATS permissions are generated from it. */
export const busMessages: readonly (RequestContract | EventContract)[] = [scoreResult, tracesStored, keyRevoked];
