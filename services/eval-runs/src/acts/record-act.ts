import { evalRunsActRecorded } from "@touchstone/contracts";
import { enqueueEvent, type Queryable } from "@touchstone/db";
import { type Act, composeRecordedAct, type Deed } from "@touchstone/service-kit";

/** What of this service's the log keeps. */
type Action =
  | "grading-config.created"
  | "grading-config.changed"
  | "grading-config.deleted"
  | "grading-config-version.deleted"
  | "scorer-group.created"
  | "scorer-group.changed"
  | "scorer-group.deleted"
  | "dataset.deleted"
  | "dataset-version.deleted"
  | "run.deleted"
  | "tool-schema.deleted";

/** Tells auth's log of an act, in the transaction that carries it out: neither is there without the other (decision 34). */
export async function recordAct(transaction: Queryable, act: Act, deed: Deed & { action: Action }): Promise<void> {
  await enqueueEvent(transaction, "evals", { event: evalRunsActRecorded, body: composeRecordedAct(act, deed) });
}
