import type { RequestContract } from "@touchstone/contracts";
import type { z } from "zod";
import type { Bus } from "./bus.ts";
import { isBusError } from "./bus-error.ts";
import type { BusLogger } from "./bus-logger.ts";

/** What a change may wait for its reader, who takes milliseconds. */
const timeoutMs = 5_000;

/**
 * Tells another service of a change that was committed, before the change is acknowledged: whoever acts on the
 * acknowledgement finds the change in force there too (decision 42). An event in the outbox says the same, so this never
 * rejects: where nobody is there it resolves at once, and where nobody answers after 5 s.
 */
export async function tellAtOnce<C extends RequestContract>(
  { bus, logger }: { bus: Pick<Bus, "request">; logger: BusLogger },
  contract: C,
  body: z.input<C["body"]>,
): Promise<void> {
  try {
    await bus.request(contract, body, { timeoutMs, nobodyGraceMs: 0 });
  } catch (err) {
    const facts = { operation: contract.subject, err };
    if (isBusError(err)) logger.info(facts, "a change could not be told at once; its event tells it");
    else logger.error(facts, "a change could not be told at once; its event tells it");
  }
}
