import type { RequestContract } from "@touchstone/contracts";
import type { z } from "zod";
import type { Bus } from "./bus.ts";
import { isBusError } from "./bus-error.ts";
import type { BusLogger } from "./bus-logger.ts";

/** The longest wait for the reader of a change, which needs milliseconds. */
const timeoutMs = 5_000;

/**
 * Reports a committed change to another service before it is acknowledged: a client that acts on the acknowledgement
 * finds the change in force there too (decision 42). An event in the outbox reports the same, so this never rejects: it
 * resolves at once without a member, and after 5 s without an answer.
 */
export async function reportAtOnce<C extends RequestContract>(
  { bus, logger }: { bus: Pick<Bus, "request">; logger: BusLogger },
  contract: C,
  body: z.input<C["body"]>,
): Promise<void> {
  try {
    await bus.request(contract, body, { timeoutMs, nobodyGraceMs: 0 });
  } catch (err) {
    const facts = { operation: contract.subject, err };
    if (isBusError(err)) logger.info(facts, "a change could not be reported at once; its event reports it");
    else logger.error(facts, "a change could not be reported at once; its event reports it");
  }
}
