import { monitorActRecorded } from "@touchstone/contracts";
import { enqueueEvent, type Queryable } from "@touchstone/db";
import { type Act, composeRecordedAct, type Deed } from "@touchstone/service-kit";

/** What of this service's the log keeps. */
type Action =
  | "monitoring-defaults.changed"
  | "monitoring-profile.changed"
  | "pattern.created"
  | "pattern.changed"
  | "pattern.deleted"
  | "custom-evaluator.created"
  | "custom-evaluator.changed"
  | "custom-evaluator.deleted"
  | "alert-rule.created"
  | "alert-rule.changed"
  | "alert-rule.deleted"
  | "webhook.created"
  | "webhook.changed"
  | "webhook.secret-rotated"
  | "webhook.deleted";

/** Tells auth's log of an act, in the transaction that carries it out: neither is there without the other (decision 34). */
export async function recordAct(transaction: Queryable, act: Act, deed: Deed & { action: Action }): Promise<void> {
  await enqueueEvent(transaction, "monitor", { event: monitorActRecorded, body: composeRecordedAct(act, deed) });
}
