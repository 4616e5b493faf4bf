import { type Act, composeRecordedAct, type Deed } from "@touchstone/service-kit";
import type { Queryable } from "./database.ts";
import { enqueueEvent } from "./outbox-store.ts";

/**
 * Reports acts of a service to auth's audit log: the event is written to the outbox of `schema` in the transaction of
 * the act, so that neither exists without the other (decision 34).
 */
export function auditRecorder<Action extends string>(
  schema: string,
  event: Parameters<typeof enqueueEvent>[2]["event"],
) {
  return (transaction: Queryable, act: Act, deed: Deed & { action: Action }): Promise<void> =>
    enqueueEvent(transaction, schema, { event, body: composeRecordedAct(act, deed) });
}
